import { supersedeInventories } from '../../dependencies/inventories.ts'
import { type Deps, projectTransaction, type RootDeps } from '../../deps.ts'
import {
  deleteObservedOnlyOn,
  deleteRepeatedOccurrences,
  deleteScansOfRef,
  listFindingsOn,
  markAbsent,
} from '../../findings/occurrences/occurrences.ts'
import { jobKind, type RunningJob } from '../../jobs/job.ts'
import type { Project } from '../../projects/project.ts'
import { findProjectById, lockAgainstDeletion } from '../../projects/projects.ts'
import { endDismissalsOf } from '../../vulnerabilities/triage/dismissals/end-ref-dismissals.ts'
import { recordObservations } from '../../vulnerabilities/triage/history/history.ts'
import { endWaitsOf } from '../imports/held/held-absences.ts'
import { importKeyOf } from '../imports/import-queue.ts'
import type { RefName } from './ref.ts'
import { deleteRefRow, lockRef } from './ref-queries.ts'

const kind = 'ref'

/** Builds the job that closes or deletes a ref. It does not run at the same time as an import of the project. */
export const refJob = ({ projectId, name }: RefName) => ({
  kind,
  key: importKeyOf(projectId),
  payload: { projectId, name } satisfies RefName,
})

/** Makes the findings of closed refs absent, and removes those of deleted refs. */
export const refJobKind = jobKind<RefName>({ kind, concurrency: 1, maxAttempts: 10, run })

const batchSize = 250

async function run(deps: RootDeps, { payload, signal }: RunningJob<RefName>): Promise<undefined> {
  const { projectId, name } = payload
  const place = { projectId, ref: name }
  const steps = {
    close: await listFindingsOn(deps.db, place, { isPresent: true }),
    remove: await listFindingsOn(deps.db, place, { isPresent: false }),
  }
  const inBatches = async (
    ids: readonly number[],
    which: Which,
    change: (deps: Deps, ids: number[]) => Promise<void>,
  ) => {
    for (let start = 0; start < ids.length; start += batchSize) {
      signal.throwIfAborted()
      const batch = ids.slice(start, start + batchSize)
      if (!(await whileClosed(deps, payload, which, (deps) => change(deps, batch)))) return
    }
  }
  await inBatches(steps.close, 'closed', async (deps, ids) => {
    const origin = { importId: null, userId: null, ref: name, now: deps.now(), comment: 'the branch was closed' }
    await markAbsent(deps.db, place, ids)
    await recordObservations(deps.db, 'gone', ids, origin)
  })
  // Nothing covers a closed ref: it has fixed no finding of another one.
  await whileClosed(deps, payload, 'closed', async (deps, project) => {
    await endWaitsOf(deps, place)
    await deleteScansOfRef(deps.db, place)
    await endDismissalsOf(deps, project, name)
    await supersedeInventories(deps.db, place)
  })
  // A vulnerability keeps its only occurrence, as absent, because it shows where it was found.
  await inBatches(steps.remove, 'deleted', async ({ db }, ids) => {
    await deleteObservedOnlyOn(db, place, ids)
    await deleteRepeatedOccurrences(db, place, ids)
  })
  await whileClosed(deps, payload, 'deleted', ({ db }) => deleteRefRow(db, payload))
}

type Which = 'closed' | 'deleted'

/**
 * Runs a change in a transaction of its own. Returns false when the ref is not closed, or not deleted: a report may have
 * opened it, and the project may have another default branch now.
 */
function whileClosed(
  deps: RootDeps,
  name: RefName,
  which: Which,
  change: (deps: Deps, project: Project) => Promise<void>,
): Promise<boolean> {
  return projectTransaction(deps, name.projectId, async (deps) => {
    await lockAgainstDeletion(deps.db, name.projectId)
    const project = await findProjectById(deps.db, name.projectId)
    const ref = await lockRef(deps.db, name)
    if (!project || !ref || ref.closedAt === null || ref.name === project.defaultBranch) return false
    if (which === 'deleted' && !ref.isDeleted) return false
    await change(deps, project)
    return true
  })
}
