import { countExpired, type ExpiredRows } from '../../db/expired-rows.ts'
import { Failure, forbidden, notFound } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { roles } from '../access/roles.ts'
import { groupEntity, instanceEntity, projectEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, transaction } from '../deps.ts'
import { markForDeletion } from '../files/pending-deletions.ts'
import { enqueue } from '../jobs/job.ts'
import { findProgress } from '../jobs/jobs.ts'
import { findNamespaceById } from '../namespaces/namespaces.ts'
import { currentVisitor } from '../projects/current-rights.ts'
import { findProjectById } from '../projects/projects.ts'
import { groupLevel, projectLevel, type Visitor } from '../projects/visible.ts'
import type { Export, ExportTarget } from './export.ts'
import {
  deleteExports,
  type ExportDraft,
  expiredExports,
  failOpenExports,
  findExport,
  hasUnfinishedExport,
  insertExport,
  lockAuthor,
  takeExpiredExports,
  takeExportsOf,
} from './export-queries.ts'
import { holdsAllProjects } from './exported-row-queries.ts'
import { exportKey, exportKind, exportTimes } from './write.ts'

const hourMs = 60 * 60 * 1000

/** Queues an export. Allows one unfinished export per target and author. */
export function createExport(
  deps: Deps,
  caller: Caller,
  draft: Omit<ExportDraft, 'authorId' | 'asAdmin' | 'scheduleId' | 'now'>,
): Promise<Export> {
  return transaction(deps, async (deps) => {
    const now = deps.now()
    await lockAuthor(deps.db, caller.user.id)
    const hourAgo = new Date(Date.parse(now) - hourMs).toISOString()
    if (await hasUnfinishedExport(deps.db, caller.user.id, draft, hourAgo)) {
      const sentence = 'Export already in progress. Please retry after the current export completes.'
      throw new Failure({ kind: 'too-many-requests', sentence })
    }
    return queueExport(deps, { ...draft, authorId: caller.user.id, asAdmin: caller.isAdmin, scheduleId: null, now })
  })
}

/** Queues an export in the caller's transaction. */
export async function queueExport(deps: Deps, draft: ExportDraft): Promise<Export> {
  const created = await insertExport(deps.db, draft)
  await recordExport(deps, 'vulnerability_export_created', created)
  const payload = { export_id: created.id }
  await enqueue(deps, { kind: exportKind, key: exportKey(created.id), owner: `user:${draft.authorId}`, payload })
  return created
}

const messages = {
  vulnerability_export_created: 'Exported vulnerabilities',
  vulnerability_export_downloaded: 'Downloaded an export',
} as const

async function recordExport(
  deps: Deps,
  name: keyof typeof messages,
  { id, projectId, groupId, format }: Export,
): Promise<void> {
  const project = projectId === null ? undefined : await findProjectById(deps.db, projectId)
  const group = groupId === null ? undefined : await findNamespaceById(deps.db, groupId)
  await recordAuditEvent(deps, name, {
    entity: project ? projectEntity(project) : group ? groupEntity(group) : instanceEntity,
    message: messages[name],
    target: { type: 'VulnerabilityExport', id, name: `export ${id}` },
    extra: { format },
  })
}

export interface Progress {
  done: number
  total: number
}

/**
 * Returns an export to its author only, and only while they may read everything in the file. The file becomes
 * inaccessible when the author loses rights after it was written.
 */
export async function getExport(deps: Deps, caller: Caller, id: number): Promise<Export> {
  const found = await findExport(deps.db, id)
  if (!found) throw notFound()
  if (found.authorId !== caller.user.id || !(await mayExport(deps, caller, found))) throw forbidden()
  if (!(await mayReadFile(deps, caller, found))) throw forbidden(outdated)
  return found
}

/** Returns an export like `getExport`, and records its download where the operator wants it. */
export async function downloadExport(deps: Deps, caller: Caller, id: number): Promise<Export> {
  const found = await getExport(deps, caller, id)
  const isThere = found.status === 'finished' && found.objectKey !== null
  if (isThere && deps.settings.auditsDownloads) await recordExport(deps, 'vulnerability_export_downloaded', found)
  return found
}

/** Returns a finished export if its author may still read everything in the file, for work without a request. */
export async function findReadableExport(deps: Deps, id: number): Promise<Export | undefined> {
  const found = await findExport(deps.db, id)
  if (found?.status !== 'finished') return undefined
  const author = await currentVisitor(deps, { userId: found.authorId, asAdmin: found.asAdmin })
  const isReadable = author && (await mayExport(deps, author, found)) && (await mayReadFile(deps, author, found))
  return isReadable ? found : undefined
}

/** Returns the progress of an export, or `undefined` before it has begun or after its job was deleted. */
export async function findExportProgress(deps: Deps, id: number): Promise<Progress | undefined> {
  const { done, total } = (await findProgress(deps, exportKey(id))) ?? { done: null, total: null }
  return done === null || total === null ? undefined : { done, total }
}

const outdated = 'You may no longer read everything in this export. Create a new one.'

async function mayExport(deps: Deps, caller: Visitor, { projectId, groupId }: ExportTarget): Promise<boolean> {
  if (projectId !== null) {
    const project = await findProjectById(deps.db, projectId)
    return project !== undefined && (await projectLevel(deps, project, caller)) >= roles.developer
  }
  if (groupId === null) return true
  const group = await findNamespaceById(deps.db, groupId)
  return group !== undefined && (await groupLevel(deps, group, caller)) >= roles.developer
}

async function mayReadFile(deps: Deps, caller: Visitor, found: Export): Promise<boolean> {
  if (caller.isAdmin || found.status !== 'finished' || found.projectId !== null) return true
  // The file covers the whole instance, or was written by an older version that did not record its projects.
  if (found.exportedProjectIds === null) return false
  const member = { userId: caller.user.id, level: roles.developer, today: deps.now().slice(0, 10) }
  return holdsAllProjects(deps.db, member, found.exportedProjectIds)
}

const batchSize = 200

export const countExpiredExports = ({ db, now }: Deps): Promise<ExpiredRows> => countExpired(db, expiredExports(now()))

/** Deletes exports after `ALCOVE_EXPORT_RETENTION_DAYS` and marks their objects for deletion. */
export async function expireExports(deps: Deps): Promise<void> {
  for (let more = true; more; ) {
    more = await transaction(deps, async (deps) => {
      const { taken, keys } = await takeExpiredExports(deps.db, deps.now(), batchSize)
      await markForDeletion(deps, keys)
      return taken === batchSize
    })
  }
}

/** Deletes the exports of projects, groups or users that are removed, and marks their objects for deletion. */
export async function removeExportsOf(
  deps: Deps,
  owners: Record<'projectIds' | 'namespaceIds' | 'userIds', readonly number[]>,
): Promise<void> {
  await markForDeletion(deps, await takeExportsOf(deps.db, owners))
}

/** Fails the unfinished exports of a user. A job that is writing one discards its file. */
export async function failExportsOf(deps: Deps, userId: number, error: string): Promise<void> {
  await failOpenExports(deps.db, userId, { error, ...exportTimes(deps) })
}

/** Deletes exports whose objects are lost. */
export async function dropExports({ db }: Deps, ids: readonly number[]): Promise<void> {
  await deleteExports(db, ids)
}
