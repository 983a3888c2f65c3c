import { setImmediate } from 'node:timers/promises'
import { type Deps, provisionally, type RootDeps, transaction } from '../../deps.ts'
import { findProject } from '../../projects/visible.ts'
import { promoteFindings } from '../../vulnerabilities/promotion/promotion.ts'
import { promoteSlices, slicesOf } from '../../vulnerabilities/promotion/promotion-batches.ts'
import { addPromoted, findImport, finishImport, holdImport, setOutcome } from './import-queries.ts'
import { lostRights, mayStillPromote } from './import-rights.ts'
import { dropPromotions, stagePromotions, takePromotion } from './staged-queries.ts'
import { Overtaken } from './superseded.ts'

/** Of slices that are only written down. */
const stagedAtOnce = 20

/** An attempt at an import; another one takes it over by beginning. */
interface Attempt {
  importId: number
  run: string
}

/** Writes down what is to be promoted once the import is shown, in the slices in which it will be. */
export async function stagePromotion(
  deps: RootDeps,
  { importId, run }: Attempt,
  findingIds: readonly number[],
): Promise<void> {
  let isFirst = true
  for (const slices of slicesOf(findingIds, stagedAtOnce)) {
    await provisionally(deps, async ({ db }) => {
      if (!(await holdImport(db, importId, run))) throw new Overtaken()
      // An attempt before this one may have got as far.
      if (isFirst) await dropPromotions(db, importId)
      await stagePromotions(db, importId, slices)
    })
    isFirst = false
    await setImmediate()
  }
}

/** Drops what is left to promote and says so in the outcome. What was promoted stays. */
export async function leaveUnpromoted(
  deps: Deps,
  importId: number,
  reason: { type: string; message: string },
): Promise<void> {
  const found = await findImport(deps.db, importId)
  if (!found) throw new Overtaken()
  await dropPromotions(deps.db, importId)
  const warnings = [{ ...reason, pointer: '' }, ...found.outcome.warnings]
  await setOutcome(deps.db, importId, { ...found.outcome, warnings })
}

/**
 * Promotes some of what a shown import has left to promote; true when that was the last of it, and the import is done.
 * Each slice is taken off in the transaction that promotes it: whoever goes on after a kill finds what is left.
 */
export async function promoteStaged(
  deps: RootDeps,
  { importId, run, projectId }: Attempt & { projectId: number },
  signal: AbortSignal,
): Promise<boolean> {
  const project = await findProject(deps, `${projectId}`)
  if (!project) throw new Overtaken()
  const promoteNext = () =>
    // Whoever builds on a slice commits after it, and his commit waits for the disk.
    provisionally(deps, async (deps) => {
      const held = await holdImport(deps.db, importId, run)
      if (!held) throw new Overtaken()
      const findingIds = await takePromotion(deps.db, importId)
      if (!findingIds) return false
      if (!(await mayStillPromote(deps, { ...held, projectId }))) {
        await leaveUnpromoted(deps, importId, {
          type: lostRights,
          message: 'The user who sent the report may no longer promote findings. The rest was not promoted.',
        })
        return false
      }
      const promoted = await promoteFindings(deps, project, held.userId, findingIds)
      await addPromoted(deps.db, importId, promoted)
      return true
    })
  if (!(await promoteSlices(signal, promoteNext))) return false
  await transaction(deps, async (deps) => {
    if (!(await holdImport(deps.db, importId, run))) throw new Overtaken()
    await finishImport(deps.db, importId, deps.now())
  })
  return true
}
