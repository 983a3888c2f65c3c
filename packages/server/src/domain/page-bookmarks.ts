import { setImmediate } from 'node:timers/promises'
import { openCache } from '../db/cache.ts'
import type { Changes } from '../db/db.ts'

/**
 * Ways into the depth of long lists, where counting off all rows before a page would take longer the further it is.
 * Whoever first goes far finds out where every so-manieth row stands; that is remembered until a table changes, so
 * that the next page, and the one after it, cost no more than the first.
 */
export interface Milestones {
  /** From where to read on towards the row at this offset, and how many rows are between. */
  before(list: string, offset: number, next: Next): Promise<Start>
}

/** Where the rows stand that come after one, or the first: as numbers, of which many take little memory. */
type Next = (after: number | undefined, rows: number) => Promise<readonly number[]>

interface Start {
  /** Absent: the list's first row. */
  after: number | undefined
  skip: number
}

/** From one milestone to the next, in rows: reading so many for nothing is not felt beside the rows of a page. */
const usualDistance = 50
/** Milestones that are found in one go. */
const stride = 10
/** All together: 2 MiB. */
const mostHeld = 2 ** 18

export function openMilestones(
  changes: Changes,
  tables: readonly string[],
  distance: number = usualDistance,
): Milestones {
  const lists = openCache<number[]>(changes, tables, mostHeld, (milestones) => milestones.length + 1)
  return {
    async before(list, offset, next) {
      const wanted = Math.floor(offset / distance)
      if (wanted === 0) return { after: undefined, skip: offset }
      const milestones = await lists.get(list, async () => [])
      let isOver = false
      while (milestones.length < wanted && !isOver) {
        // By index: another request may be on the same way.
        const known = milestones.length
        const rows = await next(milestones[known - 1], stride * distance)
        for (let step = 1; step <= stride; step++) {
          const row = rows[step * distance - 1]
          if (row === undefined) isOver = true
          else milestones[known + step - 1] = row
        }
        lists.grown(list, milestones)
        await setImmediate()
      }
      const reached = Math.min(milestones.length, wanted)
      return { after: milestones[reached - 1], skip: offset - reached * distance }
    },
  }
}
