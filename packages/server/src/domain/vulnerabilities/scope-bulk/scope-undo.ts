import { type Deps, projectTransaction } from '../../deps.ts'
import { isStillPermitted } from '../../projects/current-rights.ts'
import { findProjectById, lockAgainstDeletion } from '../../projects/projects.ts'
import { findUserById } from '../../users/users.ts'
import { recordBulkUndo } from '../triage/audited-decisions.ts'
import { restoreEntries } from '../triage/bulk.ts'
import { finishBulk, lockForUndo, markUndone, saveUndoPosition } from '../triage/bulk-queries.ts'
import { findPartToUndo, lockScopeChange, type ProjectPart } from './scope-change-queries.ts'

/** Two batches are 500 vulnerabilities. */
const batchesPerTransaction = 2

/**
 * Restores vulnerabilities of the next project that the user may still triage, in one transaction. Returns the project
 * after which the next call continues, or `undefined` when none is left. The first call continues after 0.
 */
export async function undoNext(deps: Deps, id: number, afterProjectId: number): Promise<number | undefined> {
  const part = await findPartToUndo(deps.db, id, afterProjectId)
  if (!part) return undefined
  const isOver = await projectTransaction(deps, part.projectId, (deps) => undoPart(deps, id, part), { isRelaxed: true })
  return isOver ? part.projectId : afterProjectId
}

/** Returns true unless more vulnerabilities of the project can be restored. */
async function undoPart(deps: Deps, id: number, part: ProjectPart): Promise<boolean> {
  await lockAgainstDeletion(deps.db, part.projectId)
  const scopeChange = await lockScopeChange(deps.db, id, 'undoing')
  // A request to undo the change of this project alone waits for this lock, and continues from the saved position.
  const position = scopeChange && (await lockForUndo(deps.db, part.id))
  const project = position && (await findProjectById(deps.db, part.projectId))
  if (!project) return true
  const userId = scopeChange.undoneById
  const requester = { userId, asAdmin: scopeChange.asAdmin }
  const user = userId === null ? undefined : await findUserById(deps.db, userId)
  if (!user || !(await isStillPermitted(deps, 'vulnerability.bulk', project, requester))) return true

  const context = { userId: user.id, now: deps.now(), bulkId: part.id, maxBatches: batchesPerTransaction }
  const { isComplete, ...reached } = await restoreEntries(deps, project, position, context)
  await saveUndoPosition(deps.db, part.id, reached)
  if (!isComplete) return false
  await markUndone(deps.db, part.id, user.id, context.now)
  await finishBulk(deps.db, part.id, { restored: reached.restored })
  await recordBulkUndo(deps, project, { id: part.id, restored: reached.restored, author: user })
  return true
}
