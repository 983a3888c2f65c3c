import { setImmediate } from 'node:timers/promises'
import { type Deps, projectTransaction, type RootDeps, withRelaxedDurability } from '../../deps.ts'
import { lockAgainstDeletion } from '../../projects/projects.ts'
import { findProject } from '../../projects/visible.ts'
import { findUserById } from '../../users/users.ts'
import { promoteFindings, recordPromotion } from '../../vulnerabilities/promotion/promotion.ts'
import { batchesOf, promoteBatches } from '../../vulnerabilities/promotion/promotion-batches.ts'
import { addPromoted, findImport, finishImport, lockImport, setOutcome } from './import-queries.ts'
import { lostRights, mayStillPromote } from './import-rights.ts'
import { dropPromotions, stagePromotions, takePromotion } from './staged-promotion-queries.ts'
import { Superseded } from './superseded.ts'

/** Number of batches that are staged in one transaction. */
const batchesPerTransaction = 20

/** An attempt to run an import; starting another attempt supersedes it. */
interface Attempt {
  importId: number
  run: string
}

/** Stages the findings to promote after the import has become visible, grouped into the batches of the promotion. */
export async function stagePromotion(
  deps: RootDeps,
  { importId, run }: Attempt,
  findingIds: readonly number[],
): Promise<void> {
  let isFirst = true
  for (const slices of batchesOf(findingIds, batchesPerTransaction)) {
    await withRelaxedDurability(deps, async ({ db }) => {
      if (!(await lockImport(db, importId, run))) throw new Superseded()
      // An interrupted attempt may have staged batches before.
      if (isFirst) await dropPromotions(db, importId)
      await stagePromotions(db, importId, slices)
    })
    isFirst = false
    await setImmediate()
  }
}

/** Discards the remaining staged promotions and adds a warning to the outcome. Promoted findings stay promoted. */
export async function abandonPromotion(
  deps: Deps,
  importId: number,
  reason: { type: string; message: string },
): Promise<void> {
  const found = await findImport(deps.db, importId)
  if (!found) throw new Superseded()
  await dropPromotions(deps.db, importId)
  const warnings = [{ ...reason, pointer: '' }, ...found.outcome.warnings]
  await setOutcome(deps.db, importId, { ...found.outcome, warnings })
}

/**
 * Promotes staged findings of a visible import. Returns true when none is left and the import is done. Each batch is
 * unstaged in the transaction that promotes it, so an attempt after a crash continues with the rest.
 */
export async function promoteStaged(
  deps: RootDeps,
  { importId, run, projectId }: Attempt & { projectId: number },
  signal: AbortSignal,
): Promise<boolean> {
  const project = await findProject(deps, `${projectId}`)
  if (!project) throw new Superseded()
  const promote = async (deps: Deps) => {
    await lockAgainstDeletion(deps.db, projectId)
    const locked = await lockImport(deps.db, importId, run)
    if (!locked) throw new Superseded()
    const findingIds = await takePromotion(deps.db, importId)
    if (!findingIds) return false
    if (!(await mayStillPromote(deps, { ...locked, projectId }))) {
      await abandonPromotion(deps, importId, {
        type: lostRights,
        message: 'The user who sent the report may no longer promote findings. The rest was not promoted.',
      })
      return false
    }
    const promoted = await promoteFindings(deps, project, locked.userId, { findingIds, isAutomatic: true })
    await addPromoted(deps.db, importId, promoted)
    return true
  }
  // Relaxed durability is safe: any later transaction that builds on a batch waits for the disk.
  const promoteNext = () => projectTransaction(deps, projectId, promote, { isRelaxed: true })
  if (!(await promoteBatches(signal, promoteNext))) return false
  await projectTransaction(deps, projectId, async (deps) => {
    const locked = await lockImport(deps.db, importId, run)
    if (!locked) throw new Superseded()
    await finishImport(deps.db, importId, deps.now())
    const found = await findImport(deps.db, importId)
    const author = locked.userId === null ? null : await findUserById(deps.db, locked.userId)
    await recordPromotion(deps, project, author ?? null, { promoted: found?.counts?.promoted ?? 0, importId })
  })
  return true
}
