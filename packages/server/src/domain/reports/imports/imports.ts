import { forbidden, notFound, reportRejected, unavailable } from '../../../platform/failure.ts'
import type { ReceivedFile } from '../../../platform/object-store/objects.ts'
import type { Caller } from '../../access/callers.ts'
import { projectTransaction, type RootDeps } from '../../deps.ts'
import { deleteMarkedObjectsSoon } from '../../files/pending-deletions.ts'
import { enqueue } from '../../jobs/job.ts'
import { waitFor } from '../../jobs/wait.ts'
import { maxCountedRows, type Page, type PageRequest, pageOf } from '../../page.ts'
import type { Project } from '../../projects/project.ts'
import type { ProjectFile } from '../../vulnerabilities/project-files/project-file.ts'
import { type ComparedImport, withComparison } from './against.ts'
import { insertImportFiles } from './files/import-file-queries.ts'
import { hasTriageScope } from './files/import-files.ts'
import type { Import, IngestOptions } from './import.ts'
import { assertLinks, tokenNameOf } from './import-origin.ts'
import {
  countImports,
  deleteImport,
  findImport,
  type ImportFilter,
  insertImport,
  listImports,
} from './import-queries.ts'
import { assertRoomInQueue, laneOf } from './import-queue.ts'
import { assertMayPromote, assertMayReport, isIssuedToReport, lostRights } from './import-rights.ts'
import { assertShort } from './ingest.ts'
import { importJob } from './run-imports.ts'

/**
 * Maximum time that a request waits for its import. After that it returns the running import, which clients can poll.
 */
const maxWaitMs = 20_000

interface SentReport {
  file: ReceivedFile
  options: IngestOptions
  projectFiles: readonly ProjectFile[]
}

/**
 * Imports a report. Once the report is queued, a crash of the process does not lose it. Returns the finished import, or
 * one that is still running after `maxWaitMs`. Throws `reportRejected` with every problem of the report.
 */
export async function importReport(
  deps: RootDeps,
  project: Project,
  sender: Caller,
  { file, options, projectFiles }: SentReport,
): Promise<ComparedImport> {
  assertShort(options)
  assertLinks(options)
  await assertMayReport(deps, project, sender, options.ref)
  await assertMayPromote(deps, project, sender, options)
  const tokenName = await tokenNameOf(deps, sender)
  const importId = await projectTransaction(deps, project.id, async (deps) => {
    await assertRoomInQueue(deps, { projectId: project.id, userId: sender.user.id, fileBytes: file.bytes })
    const importId = await insertImport(deps.db, {
      projectId: project.id,
      userId: sender.user.id,
      asAdmin: sender.isAdmin,
      ref: options.ref ?? project.defaultBranch,
      category: options.category ?? null,
      commitSha: options.commitSha ?? null,
      options: {
        reportType: options.reportType,
        promote: options.promote,
        strict: options.strict,
        isPartial: options.isPartial,
        mapping: options.mapping,
        sameRun: options.sameRun,
        targetRef: options.targetRef,
        isIssued: isIssuedToReport(sender),
        hasTriageScope: hasTriageScope(sender),
        tokenName,
        jobUrl: options.jobUrl,
        commitUrl: options.commitUrl,
      },
      fileSha256: file.sha256,
      fileBytes: file.bytes,
      objectKey: file.key,
      now: deps.now(),
    })
    await insertImportFiles(deps.db, importId, projectFiles)
    const place = { lane: laneOf(file), owner: `user:${sender.user.id}` }
    await enqueue(deps, { ...importJob(project.id, importId), ...place })
    return importId
  })
  file.kept = true
  const done = await outcomeOf(deps, importId, options.isAsync ? 0 : maxWaitMs)
  return withComparison(deps, project, done, options.targetRef)
}

async function outcomeOf(deps: RootDeps, id: number, ms: number): Promise<Import> {
  const isOver = (found: Import | undefined) => !found || hasEnded(found)
  const found = await waitFor(deps, 'imports', () => findImport(deps.db, id), { isOver, ms })
  if (!found) throw notFound('Project')
  // Delete the file before responding, so that no client observes a finished import with a stored report.
  if (hasEnded(found)) await deleteMarkedObjectsSoon(deps)
  if (found.state !== 'failed') return found
  const { problems } = found.outcome
  // Keep the failed import, so that an administrator can retry it.
  if (problems.some(({ type }) => type === 'internal')) throw unavailable('the import', 'it failed; see the log')
  // The response contains every problem, so the failed import is not needed.
  await deleteImport(deps.db, id)
  const [refusal] = problems.filter(({ type }) => type === lostRights)
  if (refusal) throw forbidden(refusal.message)
  throw reportRejected(problems)
}

const hasEnded = ({ state }: Import): boolean => state === 'done' || state === 'failed'

/** Returns the imports of a project, newest first. */
export async function findImports(
  { db }: RootDeps,
  project: Project,
  filter: ImportFilter,
  page: PageRequest,
): Promise<Page<Import>> {
  const which = { projectId: project.id, ...filter }
  const [rows, total] = await Promise.all([
    listImports(db, which, { limit: page.perPage + 1, offset: page.offset }),
    countImports(db, which, maxCountedRows + 1),
  ])
  return pageOf(page, rows, total)
}

/**
 * Returns an import, compared with another target ref than that of its request if one is given. A token that may only
 * send reports can read the imports of its own user.
 */
export async function findProjectImport(
  deps: RootDeps,
  project: Project,
  { user, token }: Pick<Caller, 'user' | 'token'>,
  { id, targetRef }: { id: number; targetRef: string | undefined },
): Promise<ComparedImport> {
  assertShort({ targetRef })
  const found = await findImport(deps.db, id)
  if (!found || found.projectId !== project.id) throw notFound()
  const readsAll = token.scopes.includes('api') || token.scopes.includes('read_api')
  if (!readsAll && found.userId !== user.id) throw notFound()
  return withComparison(deps, project, found, targetRef)
}
