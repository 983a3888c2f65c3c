import { setImmediate } from 'node:timers/promises'
import { openCache } from '../db/cache.ts'
import type { Changes } from '../db/db.ts'

/**
 * Ways into the depth of long lists, where counting off all rows before a page would take longer the further it is.
 * Whoever first goes far finds out where every so-manieth row stands; that is remembered until a table changes, so
 * that the next page, and the one after it, cost no more than the first.
 */
export interface Milestones<Position> {
  /** From where to read on towards the row at this offset, and how many rows are between. */
  before(list: string, offset: number, next: Next<Position>): Promise<Start<Position>>
}

/** Where the row stands that comes so many rows after the position, or after the start; absent past the end. */
type Next<Position> = (after: Position | undefined, rows: number) => Promise<Position | undefined>

interface Start<Position> {
  /** Absent: the list's first row. */
  after: Position | undefined
  skip: number
}

const maxLists = 20

/** `distance` is from one milestone to the next, in rows. */
export function openMilestones<Position>(
  changes: Changes,
  tables: readonly string[],
  distance: number,
): Milestones<Position> {
  const lists = openCache<Position[]>(changes, tables, maxLists)
  return {
    async before(list, offset, next) {
      const wanted = Math.floor(offset / distance)
      if (wanted === 0) return { after: undefined, skip: offset }
      const milestones = await lists.get(list, async () => [])
      while (milestones.length < wanted) {
        // By index: another request may be on the same way.
        const index = milestones.length
        const milestone = await next(milestones[index - 1], distance)
        if (milestone === undefined) break
        milestones[index] = milestone
        await setImmediate()
      }
      const reached = Math.min(milestones.length, wanted)
      return { after: milestones[reached - 1], skip: offset - reached * distance }
    },
  }
}
