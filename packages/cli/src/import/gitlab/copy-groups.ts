import { randomUUID } from 'node:crypto'
import type { BodyOf } from '@alcove/client'
import { wrongUsage } from '../../exit.ts'
import { attempt, type Copy, type TargetId, unlessMissing } from './copy.ts'
import { differing, numberOf, pick, type SourceRow, textOf } from './source-row.ts'

/** Attributes of groups that are copied. */
const attributes = [
  'name',
  'path',
  'description',
  'visibility',
  'project_creation_level',
  'subgroup_creation_level',
  'request_access_enabled',
  'promote_vulnerabilities_on_ingestion',
]

/** Reads the selected groups with their subgroups and the groups that contain them, parents first. */
export async function listGroups(copy: Copy, paths: readonly string[]): Promise<SourceRow[]> {
  const groups = new Map<number, SourceRow>()
  const add = (row: SourceRow) => groups.set(numberOf(row, 'id') ?? 0, row)
  if (paths.length === 0) {
    const query = { all_available: true, pagination: 'keyset', order_by: 'name', sort: 'asc' }
    for await (const row of copy.source.list('/groups', query)) add(row)
  }
  for (const path of paths) {
    const segments = path.split('/')
    for (let length = 1; length < segments.length; length++) {
      add(await getGroup(copy, segments.slice(0, length).join('/')))
    }
    await addTree(copy, await getGroup(copy, path), add)
  }
  const depth = (row: SourceRow) => (textOf(row, 'full_path') ?? '').split('/').length
  return [...groups.values()].sort((one, other) => depth(one) - depth(other))
}

/** The path decides which group of the target changes, so the source may not return another one than was selected. */
async function getGroup({ source }: Copy, path: string): Promise<SourceRow> {
  const row = await source.get(`/groups/${encodeURIComponent(path)}`, { with_projects: false })
  if (textOf(row, 'full_path')?.toLowerCase() === path.toLowerCase()) return row
  throw wrongUsage(`The source returns another group than ${path}. Check the path in --group.`)
}

async function addTree(copy: Copy, group: SourceRow, add: (row: SourceRow) => void): Promise<void> {
  add(group)
  const query = { all_available: true }
  for await (const row of copy.source.list(`/groups/${group['id']}/subgroups`, query)) {
    if (isBelow(textOf(row, 'full_path'), group)) await addTree(copy, row, add)
    else copy.report.skip({ kind: 'group', name: textOf(row, 'full_path') ?? '', reason: notBelow(group) })
  }
}

/** Returns whether a path is directly below a group. */
export const isBelow = (path: string | undefined, group: SourceRow): boolean =>
  path?.slice(0, path.lastIndexOf('/')).toLowerCase() === textOf(group, 'full_path')?.toLowerCase()

export const notBelow = (group: SourceRow): string => `its path is not below ${textOf(group, 'full_path')}`

/** Finds a group of the target by its path. A path of digits would be looked up as an id. */
async function findGroup({ target }: Copy, path: string): Promise<(SourceRow & { id: number }) | undefined> {
  if (!/^\d+$/.test(path)) {
    return unlessMissing(target.call('GET /groups/{id}', { path: { id: path }, query: {} }))
  }
  for (let page = 1; ; page++) {
    const query = { search: path, top_level_only: true, page, per_page: 100 }
    const { rows, hasNext } = await target.page('GET /groups', { query })
    const found = rows.find((group) => group.full_path === path)
    if (found) return target.call('GET /groups/{id}', { path: { id: found.id }, query: {} })
    if (!hasNext) return undefined
  }
}

/** Copies a group. Its parent must have been copied before. */
export async function copyGroup(copy: Copy, row: SourceRow): Promise<void> {
  const sourceId = String(row['id'])
  const fullPath = textOf(row, 'full_path') ?? ''
  copy.progress.show(`Group ${fullPath}`)
  await attempt(copy, { kind: 'group', name: fullPath }, async () => {
    const wanted = pick(row, attributes)
    const parent = row['parent_id'] === null ? null : copy.ids.find('group', String(row['parent_id']))
    if (parent === undefined) {
      return copy.report.skip({ kind: 'group', name: fullPath, reason: 'the group that contains it was not copied' })
    }
    const found = parent === 'planned' ? undefined : await findGroup(copy, fullPath)
    if (!found) return createGroup(copy, sourceId, { wanted, parent })
    copy.ids.record('group', sourceId, found.id)
    const changes = differing(wanted, found)
    const isSame = Object.keys(changes).length === 0
    copy.report.count('group', isSame ? 'unchanged' : 'updated')
    if (isSame || copy.isDryRun) return
    await copy.target.call('PUT /groups/{id}', { path: { id: found.id }, body: changes })
  })
}

async function createGroup(
  copy: Copy,
  sourceId: string,
  { wanted, parent }: { wanted: SourceRow; parent: TargetId | null },
): Promise<void> {
  if (copy.isDryRun || parent === 'planned') {
    copy.report.count('group', 'created')
    return copy.ids.record('group', sourceId, 'planned')
  }
  const body = { ...wanted, ...(parent !== null && { parent_id: parent }) } as BodyOf<'POST /groups'> // the target validates it
  const { id } = await copy.target.call('POST /groups', { body }, { idempotencyKey: randomUUID() })
  copy.ids.record('group', sourceId, id)
  copy.report.count('group', 'created')
}
