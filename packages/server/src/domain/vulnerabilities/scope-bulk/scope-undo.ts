import { setImmediate } from 'node:timers/promises'
import { type Deps, projectTransaction } from '../../deps.ts'
import { isStillPermitted } from '../../projects/current-rights.ts'
import { findProjectById, lockAgainstDeletion } from '../../projects/projects.ts'
import { findUserById } from '../../users/users.ts'
import { recordBulkUndo } from '../triage/audited-decisions.ts'
import { restoreEntries } from '../triage/bulk/bulk.ts'
import { finishBulk, lockForUndo, markUndone, saveUndoPosition } from '../triage/bulk/bulk-queries.ts'
import { findPartToUndo, lockScopeChange, type ProjectPart } from './scope-change-queries.ts'

/** Two batches are 500 vulnerabilities. */
const batchesPerTransaction = 2

/**
 * Restores vulnerabilities of the next project that the user may still triage, in one transaction. Returns the project
 * after which the next call continues, or `undefined` when none is left. The first call continues after 0.
 */
export async function undoNext(deps: Deps, id: number, afterProjectId: number): Promise<number | undefined> {
  for (let after = afterProjectId; ; ) {
    const part = await findPartToUndo(deps.db, id, after)
    if (!part) return undefined
    const work = (deps: Deps) => undoPart(deps, id, part)
    const outcome = await projectTransaction(deps, part.projectId, work, { isRelaxed: true })
    if (outcome === 'begun') return after
    after = part.projectId
    // Skipped projects remain, and each run of the job finds them first.
    if (outcome === 'undone') return after
    await setImmediate()
  }
}

/** Skips a project in which the user may no longer triage. More vulnerabilities can be restored after `begun`. */
async function undoPart(deps: Deps, id: number, part: ProjectPart): Promise<'undone' | 'begun' | 'skipped'> {
  await lockAgainstDeletion(deps.db, part.projectId)
  const scopeChange = await lockScopeChange(deps.db, id, 'undoing')
  // A request to undo the change of this project alone waits for this lock, and continues from the saved position.
  const position = scopeChange && (await lockForUndo(deps.db, part.id))
  const project = position && (await findProjectById(deps.db, part.projectId))
  if (!project) return 'skipped'
  const userId = scopeChange.undoneById
  const requester = { userId, asAdmin: scopeChange.asAdmin }
  const user = userId === null ? undefined : await findUserById(deps.db, userId)
  if (!user || !(await isStillPermitted(deps, 'vulnerability.bulk', project, requester))) return 'skipped'

  const context = { userId: user.id, now: deps.now(), bulkId: part.id, maxBatches: batchesPerTransaction }
  const { isComplete, ...reached } = await restoreEntries(deps, project, position, context)
  await saveUndoPosition(deps.db, part.id, reached)
  if (!isComplete) return 'begun'
  await markUndone(deps.db, part.id, user.id, context.now)
  const { restored, withdrawn } = reached
  await finishBulk(deps.db, part.id, { restored, withdrawn })
  await recordBulkUndo(deps, project, { id: part.id, restored, withdrawn, author: user })
  return 'undone'
}
