import { setImmediate } from 'node:timers/promises'
import { type Deps, projectTransaction, type RootDeps, transaction } from '../../deps.ts'
import { type AnyJobKind, enqueue, jobKind, type Postponed, type RunningJob } from '../../jobs/job.ts'
import { currentVisitor, isStillPermitted } from '../../projects/current-rights.ts'
import type { Project } from '../../projects/project.ts'
import { findProjectById, lockAgainstDeletion } from '../../projects/projects.ts'
import { findUserById } from '../../users/users.ts'
import { mayTriage } from '../triage/assignees.ts'
import { recordBulk } from '../triage/audited-decisions.ts'
import { changeSelected } from '../triage/bulk/bulk.ts'
import { finishBulk, insertBulk } from '../triage/bulk/bulk-queries.ts'
import type { StoredScopeChange } from './scope-change.ts'
import {
  addSkipped,
  type ChangeBatch,
  deleteChangeBatches,
  findNextBatch,
  findPart,
  findScopeChange,
  hasBatchOf,
  insertChangeBatches,
  listOpenScopeChanges,
  lockScopeChange,
  takeChangeBatch,
  updateScopeState,
} from './scope-change-queries.ts'
import { undoNext } from './scope-undo.ts'
import type { SelectedInProject } from './select-in-scope.ts'

interface ScopeChangeJob {
  scopeChangeId: number
}

const kind = 'bulk-change'

/** Maximum number of vulnerabilities that one transaction of the job changes. */
const batchSize = 500
const batchesPerStatement = 20
/** Transactions per run of the job. After each run the job is queued again, so that other jobs get their turn. */
const batchesPerRun = 10

/** Stores the vulnerabilities in batches of one project each, and queues the job that changes them. */
export async function queueChange(
  deps: Deps,
  userId: number,
  id: number,
  selected: readonly SelectedInProject[],
): Promise<void> {
  const batches = [...batchesOf(selected)]
  for (let start = 0; start < batches.length; start += batchesPerStatement) {
    await insertChangeBatches(deps.db, id, batches.slice(start, start + batchesPerStatement))
  }
  await queueJob(deps, userId, id)
}

/** Queues the job that changes or restores vulnerabilities. */
export async function queueJob(deps: Deps, userId: number, scopeChangeId: number): Promise<void> {
  const payload: ScopeChangeJob = { scopeChangeId }
  await enqueue(deps, { kind, key: `${kind}:${scopeChangeId}`, owner: `user:${userId}`, payload })
}

function* batchesOf(selected: readonly SelectedInProject[]): Generator<ChangeBatch, void> {
  let position = 0
  for (const { project, ids } of selected) {
    for (let at = 0; at < ids.length; at += batchSize) {
      yield { position, projectId: project.id, vulnerabilityIds: ids.slice(at, at + batchSize) }
      position++
    }
  }
}

export const scopeChangeKind: AnyJobKind = jobKind<ScopeChangeJob>({
  kind,
  concurrency: 1,
  maxAttempts: 10,
  run,
  giveUp: (deps, { scopeChangeId }) => failScopeChange(deps, scopeChangeId, 'The change failed; see the server’s log.'),
})

async function run(
  deps: RootDeps,
  { payload: { scopeChangeId }, signal, progress }: RunningJob<ScopeChangeJob>,
): Promise<Postponed | undefined> {
  const found = await findScopeChange(deps.db, scopeChangeId)
  let next = 0
  for (let step = 0; step < batchesPerRun; step++) {
    signal.throwIfAborted()
    if (found?.state === 'running') {
      const batch = await findNextBatch(deps.db, scopeChangeId)
      if (!batch) return endChange(deps, scopeChangeId)
      await changeNext(deps, scopeChangeId, batch)
      await progress(Math.min((batch.position + 1) * batchSize, found.total), found.total)
    } else if (found?.state === 'undoing') {
      const after = await undoNext(deps, scopeChangeId, next)
      if (after === undefined) return endChange(deps, scopeChangeId)
      next = after
    } else return undefined
    await setImmediate()
  }
  return { againAt: deps.now() }
}

async function endChange(deps: Deps, id: number): Promise<undefined> {
  await transaction(deps, async (deps) => {
    await updateScopeState(deps.db, id, { from: 'running', to: 'done' })
    await updateScopeState(deps.db, id, { from: 'undoing', to: 'undone' })
  })
}

/** Removes a batch and changes its vulnerabilities in one transaction, unless the user has lost the permission. */
function changeNext(
  deps: RootDeps,
  id: number,
  { position, projectId }: Pick<ChangeBatch, 'position' | 'projectId'>,
): Promise<void> {
  const work = async (deps: Deps) => {
    await lockAgainstDeletion(deps.db, projectId)
    const scopeChange = await lockScopeChange(deps.db, id, 'running')
    const ids = scopeChange && (await takeChangeBatch(deps.db, id, position))
    const project = ids && (await findProjectById(deps.db, projectId))
    if (!project) return
    const requester = { userId: scopeChange.userId, asAdmin: scopeChange.asAdmin }
    const visitor = await currentVisitor(deps, requester)
    const isPermitted = await isStillPermitted(deps, 'vulnerability.bulk', project, requester)
    if (visitor && isPermitted && (await isAssignable(deps, project, scopeChange))) {
      await changeBatchOf(deps, project, ids, { ...scopeChange, userId: visitor.user.id })
    } else {
      await addSkipped(deps.db, id, projectId, ids.length)
    }
    if (!(await hasBatchOf(deps.db, id, projectId))) await recordPart(deps, scopeChange, project)
  }
  // Relaxed durability is safe: a power failure loses the removal of a batch together with its changes.
  return projectTransaction(deps, projectId, work, { isRelaxed: true })
}

/** Returns false when the change assigns to a user who may no longer triage. */
async function isAssignable(deps: Deps, project: Project, { change }: StoredScopeChange): Promise<boolean> {
  return change.action !== 'assign' || mayTriage(deps, project, change.assigneeId)
}

async function changeBatchOf(
  deps: Deps,
  project: Project,
  ids: readonly number[],
  { id: scopeChangeId, userId, change }: StoredScopeChange & { userId: number },
): Promise<void> {
  const now = deps.now()
  const part = await findPart(deps.db, scopeChangeId, project.id)
  const draft = { projectId: project.id, userId, action: change.action, now, scopeChangeId }
  const bulkId = part?.id ?? (await insertBulk(deps.db, draft))
  const { changed, requested } = await changeSelected(deps, project, ids, { change, userId, now, bulkId })
  await finishBulk(deps.db, bulkId, {
    changed: (part?.changed ?? 0) + changed,
    requested: (part?.requested ?? 0) + requested,
    unchanged: (part?.unchanged ?? 0) + ids.length - changed - requested,
  })
}

/** Records one audit event for the project after its last batch. */
async function recordPart(deps: Deps, { id, change, userId }: StoredScopeChange, project: Project): Promise<void> {
  const part = await findPart(deps.db, id, project.id)
  const author = userId === null ? undefined : await findUserById(deps.db, userId)
  if (part) await recordBulk(deps, project, { change, id: part.id, changed: part.changed, author })
}

/** Fails the open changes of a user. What has been changed or restored stays so. */
export async function failScopeChangesOf(deps: Deps, userId: number, error: string): Promise<void> {
  for (const id of await listOpenScopeChanges(deps.db, userId)) await failScopeChange(deps, id, error)
}

async function failScopeChange(deps: Deps, id: number, error: string): Promise<void> {
  const running = await lockScopeChange(deps.db, id, 'running')
  for (const projectId of await deleteChangeBatches(deps.db, id)) {
    const project = running && (await findProjectById(deps.db, projectId))
    if (project) await recordPart(deps, running, project)
  }
  await updateScopeState(deps.db, id, { from: 'running', to: 'failed', error })
  await updateScopeState(deps.db, id, { from: 'undoing', to: 'failed', error })
}
