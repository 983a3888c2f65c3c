import { type Deps, projectTransaction, type RootDeps } from '../../deps.ts'
import { type AnyJobKind, jobKind, type RunningJob } from '../../jobs/job.ts'
import { type DueDatesJob, dueDatesKind } from '../../projects/queue-due-dates.ts'
import { lockVulnerabilities } from '../triage/triage-queries.ts'
import { dueOnBy, isOpen } from './due-date.ts'
import { findPolicyOfProject } from './due-date-policy-queries.ts'
import { listDatedRows, listOpenRanges, type OpenRange, updateDueDates } from './due-date-queries.ts'
import { governedProjects } from './governed-projects.ts'

/** Updates the due dates of open vulnerabilities after a policy has changed, or a project has been transferred. */
export const dueDatesJob: AnyJobKind = jobKind<DueDatesJob>({
  kind: dueDatesKind,
  concurrency: 1,
  maxAttempts: 10,
  coalesces: true,
  run,
})

const batchSize = 500

async function run(deps: RootDeps, { payload, signal, progress }: RunningJob<DueDatesJob>): Promise<undefined> {
  const ranges = await listOpenRanges(deps.db, await governedProjects(deps, payload.owner))
  const total = ranges.reduce((sum, range) => sum + range.total, 0)
  let done = 0
  for (const range of ranges) {
    for (let belowId = Number.MAX_SAFE_INTEGER; ; ) {
      signal.throwIfAborted()
      const batch = await updateBatch(deps, range, belowId)
      done = Math.min(done + batch.open, total)
      await progress(done, total)
      if (batch.last === undefined) break
      belowId = batch.last
    }
  }
  return undefined
}

/** Updates the next rows of a range in one transaction, by the policy that applies then. */
function updateBatch(
  deps: Deps,
  range: OpenRange,
  belowId: number,
): Promise<{ open: number; last: number | undefined }> {
  const { projectId } = range
  const work = async (deps: Deps) => {
    const rows = await listDatedRows(deps.db, range, belowId, batchSize)
    const open = rows.filter(isOpen)
    const ids = open.flatMap(({ id, isDueOnOverridden }) => (isDueOnOverridden ? [] : id))
    if (ids.length > 0) await updateDates(deps, projectId, ids)
    return { open: open.length, last: rows.length < batchSize ? undefined : rows.at(-1)?.id }
  }
  // A batch that a power failure loses is repeated with the job.
  return projectTransaction(deps, projectId, work, { isRelaxed: true })
}

async function updateDates(deps: Deps, projectId: number, ids: readonly number[]): Promise<void> {
  const locked = await lockVulnerabilities(deps.db, projectId, ids)
  const policy = await findPolicyOfProject(deps.db, projectId)
  const changed = locked.flatMap((vulnerability) => {
    const dueOn = dueOnBy(policy, vulnerability)
    const isKept = vulnerability.isDueOnOverridden || !isOpen(vulnerability) || dueOn === vulnerability.dueOn
    return isKept ? [] : { id: vulnerability.id, dueOn }
  })
  if (changed.length > 0) await updateDueDates(deps.db, changed)
}
