import { conflict, notFound } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { changesBetween, type Entity, groupEntity, projectEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, transaction } from '../deps.ts'
import type { Namespace } from '../namespaces/namespace.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import type { Project } from '../projects/project.ts'
import type { ImportKind, ImportSource, LocalChanges } from './import-source.ts'
import {
  countImportSources,
  detachBelow,
  detachObject,
  findMirror,
  type ImportSourceFilter,
  listImportSources,
  lockImportSource,
  lockTarget,
  upsertImportSource,
} from './import-source-queries.ts'

export { moveImportedUser } from './import-source-queries.ts'

export async function findImportSources(
  { db }: Deps,
  filter: ImportSourceFilter,
  page: PageRequest,
): Promise<Page<ImportSource>> {
  const [rows, counted] = await Promise.all([listImportSources(db, filter, page), countImportSources(db, filter)])
  return pageOf(page, rows, counted)
}

export interface ImportSourceDraft {
  source: string
  kind: ImportKind
  sourceId: string
  targetId: number
  /** Makes the object a mirror whose importer is the caller. Without a value it stays what it is. */
  localChanges?: LocalChanges | undefined
  avatarSha256?: string | null | undefined
}

/** Object that a draft names, as the audit log describes it. */
export interface ImportTarget {
  entity: Entity
  name: string
}

/**
 * Stores from which object of another server an object was imported, so that later imports recognise it after it was
 * renamed, and whether it is a mirror. An object can be a mirror of one source only.
 */
export function recordImportSource(
  deps: Deps,
  caller: Caller,
  draft: ImportSourceDraft,
  { entity, name }: ImportTarget,
): Promise<ImportSource> {
  return transaction(deps, async (deps) => {
    const { kind, targetId, localChanges } = draft
    await lockTarget(deps.db, kind, targetId)
    const before = await lockImportSource(deps.db, draft)
    const isSame = before?.targetId === targetId
    if (localChanges !== undefined) {
      const other = await findMirror(deps.db, kind, targetId)
      const isOwn = isSame && before.mirror !== null && before.mirror !== 'detached'
      if (other && !isOwn)
        throw conflict(`The ${kind} is already a mirror of ${other.source}. Detach that mirror first.`)
    }
    const stored = await upsertImportSource(
      deps.db,
      {
        source: draft.source,
        kind,
        sourceId: draft.sourceId,
        targetId,
        mirror: localChanges ?? (isSame ? before.mirror : null),
        mirroredById: localChanges === undefined ? (isSame ? before.mirroredById : null) : caller.user.id,
        avatarSha256: draft.avatarSha256 === undefined && isSame ? before.avatarSha256 : (draft.avatarSha256 ?? null),
      },
      deps.now(),
    )
    if (!stored) throw new Error('a stored import source did not come back')
    await recordChange(deps, before, stored, { entity, name })
    return stored
  })
}

async function recordChange(
  deps: Deps,
  before: ImportSource | undefined,
  after: ImportSource,
  { entity, name }: ImportTarget,
): Promise<void> {
  const was = { mirror: null, mirroredById: null, targetId: null, ...before }
  const changes = changesBetween(was, after, {
    mirror: 'mirror',
    mirroredById: 'mirrored_by_id',
    targetId: 'target_id',
  })
  if (Object.keys(changes).length === 0) return
  await recordAuditEvent(deps, 'import_source_updated', {
    entity,
    message: 'Set the source of an import',
    target: { type: after.kind, id: after.targetId, name },
    changes,
    extra: { source: after.source, source_id: after.sourceId },
  })
}

/** Ends the mirror of a project, which everyone can change then as their role permits. */
export function detachProject(deps: Deps, project: Project): Promise<void> {
  return detach(deps, projectEntity(project), (deps) => detachObject(deps.db, 'project', project.id, deps.now()))
}

/** Ends the mirrors of a group and of all groups and projects below it. */
export function detachGroup(deps: Deps, group: Namespace): Promise<void> {
  return detach(deps, groupEntity(group), (deps) => detachBelow(deps.db, group, deps.now()))
}

export function detachTopic(deps: Deps, id: number, { entity, name }: ImportTarget): Promise<void> {
  const target = { type: 'Projects::Topic', id, name }
  return detach(deps, entity, (deps) => detachObject(deps.db, 'topic', id, deps.now()), target)
}

function detach(
  deps: Deps,
  entity: Entity,
  work: (deps: Deps) => Promise<number>,
  target?: { type: string; id: number; name: string },
): Promise<void> {
  return transaction(deps, async (deps) => {
    if ((await work(deps)) === 0) throw notFound('Mirror')
    await recordAuditEvent(deps, 'mirror_detached', {
      entity,
      message: 'Detached the mirror',
      ...(target && { target }),
    })
  })
}
