import { randomUUID } from 'node:crypto'
import type { BodyOf } from '@alcove/client'
import { wrongUsage } from '../../exit.ts'
import { attempt, type Copy, type TargetId, unlessMissing } from './copy.ts'
import { copyAvatar } from './copy-avatar.ts'
import { isDetached, pathOfAnother, recordSource } from './import-sources.ts'
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

/** Groups of the source, parents first, and the paths of those that were selected. */
export interface SelectedGroups {
  groups: SourceRow[]
  selected: string[]
}

/**
 * Reads the selected groups with their subgroups and the groups that contain them. Selected are paths, or ids in a mirror
 * that has found the group before, so that it may be renamed.
 */
export async function listGroups(copy: Copy, paths: readonly string[]): Promise<SelectedGroups> {
  const groups = new Map<number, SourceRow>()
  const selected: string[] = []
  const add = (row: SourceRow) => groups.set(numberOf(row, 'id') ?? 0, row)
  if (paths.length === 0) {
    const query = { all_available: true, pagination: 'keyset', order_by: 'name', sort: 'asc' }
    for await (const row of copy.source.list('/groups', query)) add(row)
  }
  for (const path of paths) {
    const group = await getGroup(copy, path)
    const fullPath = textOf(group, 'full_path') ?? path
    selected.push(fullPath)
    const segments = fullPath.split('/')
    for (let length = 1; length < segments.length; length++) {
      add(await getGroup(copy, segments.slice(0, length).join('/')))
    }
    await addTree(copy, group, add)
  }
  const depth = (row: SourceRow) => (textOf(row, 'full_path') ?? '').split('/').length
  return { groups: [...groups.values()].sort((one, other) => depth(one) - depth(other)), selected }
}

/** The path decides which group of the target changes, so the source may not return another one than was selected. */
async function getGroup({ source, selectedIds }: Copy, path: string): Promise<SourceRow> {
  const id = selectedIds.get(path)
  if (id !== undefined) return source.get(`/groups/${id}`, { with_projects: false })
  const row = await source.get(`/groups/${encodeURIComponent(path)}`, { with_projects: false })
  if (textOf(row, 'full_path')?.toLowerCase() === path.toLowerCase()) {
    selectedIds.set(path, String(row['id']))
    return row
  }
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
    if (isDetached(copy, 'group', sourceId)) return copy.report.note(`group ${fullPath}: detached from its source`)
    const wanted = pick(row, attributes)
    const parent = row['parent_id'] === null ? null : copy.ids.find('group', String(row['parent_id']))
    if (parent === undefined) {
      return copy.report.skip({ kind: 'group', name: fullPath, reason: 'the group that contains it was not copied' })
    }
    const found = await findCopy(copy, { sourceId, fullPath, parent })
    if (!found) return createGroup(copy, row, { wanted, parent })
    const other = copy.sources.sourceOf('group', found.id)
    if (other !== undefined && other !== sourceId) {
      return copy.report.skip({ kind: 'group', name: fullPath, reason: pathOfAnother })
    }
    copy.ids.record('group', sourceId, found.id)
    await recordSource(copy, { kind: 'group', sourceId, targetId: found.id })
    await updateGroup(copy, { wanted, parent, found })
    await copyAvatarOf(copy, { sourceId, targetId: found.id, row, present: textOf(found, 'avatar_url') })
  })
}

/** Finds the copy of a group by its id in the source, else by its path. */
async function findCopy(
  copy: Copy,
  { sourceId, fullPath, parent }: { sourceId: string; fullPath: string; parent: TargetId | null },
): Promise<(SourceRow & { id: number }) | undefined> {
  const known = copy.sources.find('group', sourceId)
  const found =
    known && (await unlessMissing(copy.target.call('GET /groups/{id}', { path: { id: known.target_id }, query: {} })))
  return found ?? (parent === 'planned' ? undefined : findGroup(copy, fullPath))
}

async function updateGroup(
  copy: Copy,
  { wanted, parent, found }: { wanted: SourceRow; parent: TargetId | null; found: SourceRow & { id: number } },
): Promise<void> {
  const path = { id: found.id }
  const isMoved = parent !== 'planned' && (numberOf(found, 'parent_id') ?? null) !== parent
  const changes = differing(wanted, found)
  const isSame = Object.keys(changes).length === 0
  copy.report.count('group', isSame && !isMoved ? 'unchanged' : 'updated')
  if (copy.isDryRun) return
  if (isMoved) {
    const body = typeof parent === 'number' ? { group_id: parent } : {}
    await copy.target.call('POST /groups/{id}/transfer', { path, body }, { idempotencyKey: randomUUID() })
  }
  if (!isSame) await copy.target.call('PUT /groups/{id}', { path, body: changes })
}

function copyAvatarOf(
  copy: Copy,
  owner: { sourceId: string; targetId: number; row: SourceRow; present: string | undefined },
): Promise<void> {
  return copyAvatar(copy, { ...owner, kind: 'group', name: textOf(owner.row, 'full_path') ?? '' })
}

async function createGroup(
  copy: Copy,
  row: SourceRow,
  { wanted, parent }: { wanted: SourceRow; parent: TargetId | null },
): Promise<void> {
  const sourceId = String(row['id'])
  if (copy.isDryRun || parent === 'planned') {
    copy.report.count('group', 'created')
    return copy.ids.record('group', sourceId, 'planned')
  }
  const body = { ...wanted, ...(parent !== null && { parent_id: parent }) } as BodyOf<'POST /groups'> // the target validates it
  const { id } = await copy.target.call('POST /groups', { body }, { idempotencyKey: randomUUID() })
  copy.ids.record('group', sourceId, id)
  copy.report.count('group', 'created')
  await recordSource(copy, { kind: 'group', sourceId, targetId: id })
  await copyAvatarOf(copy, { sourceId, targetId: id, row, present: undefined })
}
