import { setImmediate } from 'node:timers/promises'
import { provisionally, type RootDeps, transaction } from '../deps.ts'
import { findProject } from '../projects/visible.ts'
import { promoteFindings } from '../vulnerabilities/promotion.ts'
import { addPromoted, finishImport, holdImport } from './import-queries.ts'
import { Overtaken } from './overtaken.ts'
import { dropPromotions, stagePromotions, takePromotion } from './staged-queries.ts'

/** So many are promoted by the transaction that shows an import: usual reports appear with all that becomes of them. */
export const mostAtOnce = 500

/** What one transaction promotes is time that others wait. */
const sliceSize = 100
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
  const step = sliceSize * stagedAtOnce
  for (let start = 0; start < findingIds.length; start += step) {
    await provisionally(deps, async ({ db }) => {
      if (!(await holdImport(db, importId, run))) throw new Overtaken()
      // An attempt before this one may have got as far.
      if (start === 0) await dropPromotions(db, importId)
      const end = Math.min(start + step, findingIds.length)
      const slices = []
      for (let at = start; at < end; at += sliceSize) {
        slices.push({ position: at / sliceSize, findingIds: findingIds.slice(at, Math.min(at + sliceSize, end)) })
      }
      await stagePromotions(db, importId, slices)
    })
    await setImmediate()
  }
}

/** Then the job begins anew: what is done is done, and who waits for a turn has it. */
const slicesInARun = 20

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
  for (let slice = 0; slice < slicesInARun; slice++) {
    signal.throwIfAborted()
    // Whoever builds on a slice commits after it, and his commit waits for the disk.
    const isLeft = await provisionally(deps, async (deps) => {
      const held = await holdImport(deps.db, importId, run)
      if (!held) throw new Overtaken()
      const findingIds = await takePromotion(deps.db, importId)
      if (!findingIds) return false
      const promoted = await promoteFindings(deps, project, held.userId, findingIds)
      await addPromoted(deps.db, importId, promoted)
      return true
    })
    if (!isLeft) {
      await transaction(deps, async (deps) => {
        if (!(await holdImport(deps.db, importId, run))) throw new Overtaken()
        await finishImport(deps.db, importId, deps.now())
      })
      return true
    }
    await setImmediate()
  }
  return false
}
