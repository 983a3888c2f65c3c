import { randomUUID } from 'node:crypto'
import type { BodyOf, Schemas } from '@alcove/client'
import { attempt, type Copy, type TargetId, unlessMissing } from './copy.ts'
import { copyAvatar } from './copy-avatar.ts'
import { isBelow, notBelow } from './copy-groups.ts'
import { copyUser } from './copy-users.ts'
import { isDetached, pathOfAnother, recordSource } from './import-sources.ts'
import { differing, pick, rowOf, type SourceRow, textOf, textsOf } from './source-row.ts'

/** Attributes of projects that are copied. The later ones exist in Alcove only. */
const attributes = [
  'name',
  'path',
  'description',
  'visibility',
  'default_branch',
  'request_access_enabled',
  'enforce_auth_checks_on_uploads',
  'promote_vulnerabilities_on_ingestion',
  'default_branch_report_role',
  'accept_reporters_files',
  'max_absent_percent',
  'ref_retention_days',
  'protected_refs',
  'exposure',
]

/** Lists the projects of the groups, or all projects of the source. */
export async function listProjects(copy: Copy, groups: readonly SourceRow[] | undefined): Promise<SourceRow[]> {
  const projects: SourceRow[] = []
  if (!groups) {
    const query = { pagination: 'keyset', order_by: 'id', sort: 'asc' }
    for await (const row of copy.source.list('/projects', query)) projects.push(row)
    return projects
  }
  const query = { include_subgroups: false, with_shared: false, order_by: 'id', sort: 'asc' }
  for (const group of groups) {
    for await (const row of copy.source.list(`/groups/${group['id']}/projects`, query)) {
      const path = textOf(row, 'path_with_namespace')
      if (isBelow(path, group)) projects.push(row)
      else copy.report.skip({ kind: 'project', name: path ?? '', reason: notBelow(group) })
    }
  }
  return projects
}

/** Copies a project with its topics. Returns its id in the target. */
export async function copyProject(copy: Copy, listed: SourceRow): Promise<TargetId | undefined> {
  const sourceId = String(listed['id'])
  const fullPath = textOf(listed, 'path_with_namespace') ?? ''
  copy.progress.show(`Project ${fullPath}`)
  return attempt(copy, { kind: 'project', name: fullPath }, async () => {
    const namespace = rowOf(listed, 'namespace') ?? {}
    if ([isDetached(copy, 'project', sourceId), isDetached(copy, 'group', String(namespace['id']))].includes(true)) {
      copy.report.note(`project ${fullPath}: detached from its source`)
      return undefined
    }
    const row = await copy.source.get(`/projects/${sourceId}`)
    const wanted = wantedProject(row)
    const found = await findCopy(copy, sourceId, fullPath)
    const other = found && copy.sources.sourceOf('project', found.id ?? 0)
    if (other !== undefined && other !== sourceId) {
      copy.report.skip({ kind: 'project', name: fullPath, reason: pathOfAnother })
      return undefined
    }
    const id = found?.id ?? (await createProject(copy, row, wanted))
    if (id === undefined) return undefined
    copy.ids.record('project', sourceId, id)
    if (!found) copy.report.count('project', 'created')
    if (id === 'planned') return id
    const place = { kind: 'project', sourceId, targetId: id } as const
    await recordSource(copy, place)
    if (found) await updateProject(copy, { id, row, wanted, found })
    await copyAvatar(copy, { ...place, name: fullPath, row, present: found?.avatar_url })
    return id
  })
}

/** Finds the copy of a project by its id in the source, else by its path. */
async function findCopy({ sources, target }: Copy, sourceId: string, fullPath: string): Promise<Found | undefined> {
  const known = sources.find('project', sourceId)
  const find = (id: number | string) => unlessMissing(target.call('GET /projects/{id}', { path: { id }, query: {} }))
  return (known && (await find(known.target_id))) ?? find(fullPath)
}

type Found = Schemas['Project']

function wantedProject(row: SourceRow): SourceRow {
  // A project of GitLab without a repository has no default branch.
  const copied = attributes.filter((field) => field !== 'default_branch' || row[field] !== null)
  return { ...pick(row, copied), topics: textsOf(row, 'topics') }
}

async function updateProject(
  copy: Copy,
  { id, row, wanted, found }: { id: number; row: SourceRow; wanted: SourceRow; found: Found },
): Promise<void> {
  const changes = differing(wanted, found)
  const isSame = Object.keys(changes).length === 0
  const namespace = await newNamespace(copy, row, found)
  copy.report.count('project', isSame && namespace === undefined ? 'unchanged' : 'updated')
  if ((isSame && namespace === undefined) || copy.isDryRun) return
  if (found.archived === true) await copy.target.call('POST /projects/{id}/unarchive', { path: { id } })
  if (namespace !== undefined) {
    await copy.target.call('PUT /projects/{id}/transfer', { path: { id }, body: { namespace } })
  }
  if (!isSame) await copy.target.call('PUT /projects/{id}', { path: { id }, body: changes })
}

/** Returns the namespace to which a project moves that has moved in the source. */
async function newNamespace(copy: Copy, row: SourceRow, found: Found): Promise<string | undefined> {
  const namespace = rowOf(row, 'namespace') ?? {}
  if (textOf(namespace, 'kind') === 'user') {
    const owner = rowOf(row, 'owner')
    const userId = owner && (await copyUser(copy, owner))
    const username = typeof userId === 'number' ? copy.usernames.get(userId) : undefined
    return username === undefined || found.namespace?.full_path === username ? undefined : username
  }
  const parent = copy.ids.find('group', String(namespace['id']))
  return typeof parent !== 'number' || found.namespace?.id === parent ? undefined : String(parent)
}

async function createProject(copy: Copy, row: SourceRow, wanted: SourceRow): Promise<TargetId | undefined> {
  const namespace = rowOf(row, 'namespace') ?? {}
  const owner = rowOf(row, 'owner')
  const isPersonal = textOf(namespace, 'kind') === 'user'
  const parent = isPersonal ? owner && (await copyUser(copy, owner)) : copy.ids.find('group', String(namespace['id']))
  if (parent === undefined) {
    const reason = `its ${isPersonal ? 'owner' : 'group'} was not copied`
    copy.report.skip({ kind: 'project', name: textOf(row, 'path_with_namespace') ?? '', reason })
    return undefined
  }
  if (copy.isDryRun || parent === 'planned') return 'planned'
  const options = { idempotencyKey: randomUUID() }
  if (isPersonal) {
    const body = wanted as BodyOf<'POST /projects/user/{user_id}'> // the target validates it
    return (await copy.target.call('POST /projects/user/{user_id}', { path: { user_id: parent }, body }, options)).id
  }
  const body = { ...wanted, namespace_id: parent } as BodyOf<'POST /projects'> // the target validates it
  return (await copy.target.call('POST /projects', { body }, options)).id
}

/** Unarchives a project of the target before something in it changes. `archiveProject` archives it again. */
export async function makeWritable({ target }: Copy, id: number): Promise<void> {
  const found = await target.call('GET /projects/{id}', { path: { id }, query: {} })
  if (found.archived === true) await target.call('POST /projects/{id}/unarchive', { path: { id } })
}

/** Archives a copied project that is archived in the source. It is the last step, because archived projects are read-only. */
export async function archiveProject(copy: Copy, row: SourceRow): Promise<void> {
  const id = copy.ids.find('project', String(row['id']))
  if (id === undefined || id === 'planned' || copy.isDryRun) return
  const found = await copy.target.call('GET /projects/{id}', { path: { id }, query: {} })
  if (found.archived === (row['archived'] === true)) return
  const operation = row['archived'] === true ? 'POST /projects/{id}/archive' : 'POST /projects/{id}/unarchive'
  await copy.target.call(operation, { path: { id } })
}

/** Returns the names of the topics of projects. */
export function topicsOf(projects: readonly SourceRow[]): Set<string> {
  return new Set(projects.flatMap((row) => textsOf(row, 'topics')))
}
