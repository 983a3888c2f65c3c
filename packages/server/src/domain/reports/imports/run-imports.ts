import { setImmediate } from 'node:timers/promises'
import { isForeignKeyViolation } from '../../../db/violations.ts'
import { Failure, type ReportProblem } from '../../../platform/failure.ts'
import { readPieces } from '../../../platform/object-store/pieces.ts'
import { withSmallHeap } from '../../../platform/v8-flags.ts'
import { type Deps, projectTransaction, type RootDeps, transaction } from '../../deps.ts'
import { assertIntact } from '../../files/intact.ts'
import { deleteMarkedObjectsSoon, markForDeletion } from '../../files/pending-deletions.ts'
import {
  deleteFindings,
  deleteUnusedIdentifiers,
  deleteUnusedScanners,
  dropStaged,
  listIdentifierIds,
  listStagedIdentifiers,
  listUnobserved,
} from '../../findings/findings.ts'
import { jobKind, type Postponed, type RunningJob } from '../../jobs/job.ts'
import { findProject } from '../../projects/visible.ts'
import { findUserByReference } from '../../users/users.ts'
import { takeImportFiles } from './files/import-file-queries.ts'
import { type Import, noOutcome } from './import.ts'
import { recordImportEvent } from './import-events.ts'
import {
  beginImport,
  clearObjectKey,
  failImport,
  findImport,
  finishImport,
  interruptImport,
  type RunningImport,
  setProgress,
  type UnreadImport,
} from './import-queries.ts'
import { importJobKind, importKeyOf, smallImports } from './import-queue.ts'
import { assertStillAllowed } from './import-rights.ts'
import { ingestReport } from './ingest.ts'
import { abandonPromotion, promoteStaged } from './promote-import.ts'
import { dropPromotions } from './staged-promotion-queries.ts'
import { Superseded } from './superseded.ts'

interface ImportJob {
  importId: number
}

/** Builds the job of an import. The key serialises the imports of a project: two could insert the same finding. */
export const importJob = (projectId: number, importId: number) => ({
  kind: importJobKind,
  key: importKeyOf(projectId),
  payload: { importId } satisfies ImportJob,
})

/** Imports large reports one at a time, which bounds memory. Small ones have a lane of their own. */
export const importKind = jobKind<ImportJob>({
  kind: importJobKind,
  concurrency: 1,
  lanes: { [smallImports]: { concurrency: 2, perOwner: 4 } },
  maxAttempts: 3,
  run,
  interrupted: (deps, { importId }, interruptions) => interruptImport(deps.db, importId, interruptions),
  giveUp,
})

/** Compressed size above which a report counts as large; its text is about ten times as large. */
const largeBytes = 2 * 1024 * 1024
/** Compressed size above which memory is more important than time: 200,000 short findings. */
const hugeBytes = 128 * 1024 * 1024

async function run(deps: RootDeps, job: RunningJob<ImportJob>): Promise<Postponed | undefined> {
  const attempt = deps.random(8).toString('hex')
  const begun = await beginImport(deps.db, job.payload.importId, attempt, deps.now())
  if (!begun) {
    const found = await findImport(deps.db, job.payload.importId)
    if (found?.state === 'failed') throw new Error('its report is no longer stored; it has to be sent again')
    return undefined
  }
  try {
    const runStep = () => runNextStep(deps, begun, attempt, job)
    const isLarge = begun.fileBytes > largeBytes
    const heap = { isYoungSmall: begun.fileBytes > hugeBytes }
    const isDone = await (isLarge ? withSmallHeap(() => deps.db.withoutMemoryMap(runStep), heap) : runStep())
    // Postpone instead of failing: a finished step must not count as a failed attempt.
    if (!isDone) return { againAt: deps.now() }
  } catch (error) {
    // Another attempt has taken over, or the import was deleted with its project.
    if (error instanceof Superseded) return undefined
    if (isForeignKeyViolation(error) && !(await findImport(deps.db, begun.id))) return undefined
    const problems = problemsOf(error)
    if (!problems) throw error
    // Clean up first: if the process ends in between, the import runs and fails once more.
    await clear(deps, begun)
    await transaction(deps, async (deps) => {
      await fail(deps, begun, problems)
      // The import records the problems, so the failed job is not needed.
      await job.forget(deps)
    })
  }
  await deleteMarkedObjectsSoon(deps)
  return undefined
}

/** Runs the next step: reads the report, or continues the promotion of a visible import. Returns true when done. */
function runNextStep(deps: RootDeps, begun: RunningImport, run: string, job: RunningJob<ImportJob>): Promise<boolean> {
  if (isUnread(begun)) return ingest(deps, begun, run, job)
  const { id: importId, projectId } = begun
  return promoteStaged(deps, { importId, run, projectId }, job.signal)
}

const isUnread = (begun: RunningImport): begun is UnreadImport => begun.objectKey !== null

async function ingest(
  deps: RootDeps,
  begun: UnreadImport,
  attempt: string,
  { signal, progress }: RunningJob<ImportJob>,
): Promise<boolean> {
  const project = await findProject(deps, `${begun.projectId}`)
  if (!project) throw new Superseded()
  const refusal = await assertStillAllowed(deps, begun)
  await assertIntact(deps, { key: begun.objectKey, bytes: begun.fileBytes, sha256: begun.fileSha256 })
  const user = begun.userId === null ? undefined : await findUserByReference(deps, `${begun.userId}`)
  const read = { bytes: 0 }
  let reportedAt = performance.now()
  return ingestReport(deps, project, user, {
    import: begun,
    run: attempt,
    suppressionRefusal: refusal,
    async *open() {
      read.bytes = 0
      for await (const piece of readPieces(deps.objects, begun.objectKey)) {
        read.bytes += piece.length
        yield piece
      }
    },
    async progress(readFindings) {
      signal.throwIfAborted()
      if (performance.now() - reportedAt < progressIntervalMs) return
      reportedAt = performance.now()
      await progress(read.bytes, begun.fileBytes)
      const shown = { readBytes: read.bytes, readFindings }
      await projectTransaction(deps, project.id, ({ db }) => setProgress(db, begun.id, shown))
    },
  })
}

const progressIntervalMs = 500

function giveUp(deps: Deps, { importId }: ImportJob): Promise<void> {
  return abandon(deps, importId, unexpected)
}

/** Fails an import whose report is missing from the object store. */
export async function failLostImport(deps: Deps, importId: number): Promise<void> {
  await abandon(deps, importId, lost)
  await clearObjectKey(deps.db, importId)
}

async function abandon(deps: Deps, importId: number, problem: ReportProblem): Promise<void> {
  const found = await findImport(deps.db, importId)
  if (!found || found.state === 'done' || found.state === 'failed') return
  if (found.shownAt !== null) return stopPromoting(deps, importId)
  const failed = { ...found, id: importId }
  await clear(deps, failed)
  await fail(deps, failed, [problem], { keepsFile: problem === unexpected })
}

/** Stops the promotion. Findings and promoted vulnerabilities stay; sending the report again promotes the rest. */
async function stopPromoting(deps: Deps, importId: number): Promise<void> {
  await transaction(deps, async (deps) => {
    await abandonPromotion(deps, importId, unpromoted)
    await finishImport(deps.db, importId, deps.now())
  })
}

type FailedFile = Pick<RunningImport, 'id' | 'projectId' | 'objectKey'>

/** Marks the import as failed. If its file is kept, `POST /admin/jobs/:id/retry` can run it again. */
async function fail(
  deps: Deps,
  { id, projectId, objectKey }: FailedFile,
  problems: readonly ReportProblem[],
  { keepsFile = false } = {},
): Promise<void> {
  await transaction(deps, async (deps) => {
    await dropStaged(deps.db, id)
    await dropPromotions(deps.db, id)
    if (!keepsFile) await takeImportFiles(deps.db, id)
    await markForDeletion(deps, objectKey === null || keepsFile ? [] : [objectKey])
    const outcome = { ...noOutcome, problems }
    await failImport(deps.db, { id, objectKey: keepsFile ? objectKey : null, outcome }, deps.now())
    await recordImportEvent(deps, 'report_failed', { id, projectId })
  })
}

const batchSize = 500
/** Drafts may be large. */
const maxDrafts = 20

/** Deletes the invisible findings of an import, and the identifiers and scanners that only they referred to. */
async function clear(
  deps: Deps,
  { id, projectId, startedAt }: Pick<Import, 'projectId' | 'startedAt'> & { id: number },
) {
  for (let isLeft = true; isLeft; ) {
    isLeft = await projectTransaction(deps, projectId, async ({ db }) => {
      const unobserved = await listUnobserved(db, id, batchSize)
      const identifierIds = await listIdentifierIds(db, unobserved)
      await deleteFindings(db, unobserved)
      await deleteUnusedIdentifiers(db, identifierIds)
      return unobserved.length > 0
    })
    await setImmediate()
  }
  for (let after: string | undefined = ''; after !== undefined; ) {
    const staged = await listStagedIdentifiers(deps.db, id, after, maxDrafts)
    await deleteUnusedIdentifiers(deps.db, [...new Set(staged.flatMap(({ identifierIds }) => identifierIds))])
    after = staged.at(-1)?.uuid
    await setImmediate()
  }
  if (startedAt !== null) await deleteUnusedScanners(deps.db, projectId, startedAt)
}

const unexpected: ReportProblem = { type: 'internal', message: 'The import failed; see the server’s log.', pointer: '' }

const unpromoted: ReportProblem = {
  type: 'internal',
  message: 'Not all findings could be promoted; see the server’s log, and send the report again.',
  pointer: '',
}

const lost: ReportProblem = {
  type: 'internal',
  message: 'The report is not in the store any more; send it again.',
  pointer: '',
}

function problemsOf(error: unknown): readonly ReportProblem[] | undefined {
  return error instanceof Failure && error.cause.kind === 'report-rejected' ? error.cause.problems : undefined
}
