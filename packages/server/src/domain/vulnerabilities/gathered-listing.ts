import { type Cache, openCache } from '../../db/cache.ts'
import type { Changes } from '../../db/db.ts'
import type { Milestones } from '../milestones.ts'
import { maxCountedRows } from '../page.ts'
import type { Code } from './codes.ts'
import { type Gathered, gather, gatherAll, type Way } from './gather.ts'
import { heldListing, type InOrder, type Listing, readerOf, type Test, testedListing } from './held-listing.ts'
import { beginWalk, type Walk, walkedListing, weighWalk } from './walked-listing.ts'

/** What was gathered or read, remembered: short lists, and long ones as far as they are known. */
interface ListMemory {
  short: Cache<Gathered>
  long: Cache<Walk>
}

/** What lists of one kind are remembered by. */
export interface Remembered {
  gathered: ListMemory
  milestones: Milestones
}

const bytesEach = 8
const [shortBytes, longBytes] = [2 ** 21, 2 ** 24]

export function openListMemory(changes: Changes, tables: readonly string[]): ListMemory {
  return {
    short: openCache<Gathered>(changes, tables, shortBytes / bytesEach, (rows) => rows.length + 1),
    long: openCache<Walk>(changes, tables, longBytes / bytesEach, weighWalk),
  }
}

export interface GatheredOptions {
  memory?: ListMemory | undefined
  /** Under which it is remembered. */
  key: string
  /** A longer list is read in its order, as long as that is quick. */
  mostGathered?: number | undefined
  /** Rows that may be read for nothing on the way to a page. */
  mostPassedBy?: number | undefined
}

interface Wanted {
  inOrder: InOrder
  test: Test
  ways: readonly Way[]
  code: Code
}

/** A list that no index has as it is: short ones are gathered, and of long ones rows are passed by. */
export async function openGathered(
  { inOrder, test, ways, code }: Wanted,
  { memory, key, mostGathered = maxCountedRows, mostPassedBy = 2_000 }: GatheredOptions,
): Promise<Listing> {
  const gatherShort = () => gather(ways, code, mostGathered)
  const gatherWhole = () => gatherAll(ways, code)
  const rows = await (memory ? memory.short.getTogether(key, gatherShort) : gatherShort())
  if (rows !== 'too many') return heldListing(rows, code)
  const read = readerOf(inOrder, test, mostPassedBy)
  if (memory) {
    const walk = await memory.long.getTogether(key, async () => beginWalk())
    return walkedListing({ read, gatherWhole, code, walk, grown: () => memory.long.grown(key, walk) })
  }
  let whole: Promise<Float64Array> | undefined
  return testedListing(read, async () => {
    whole ??= gatherWhole()
    return heldListing(await whole, code)
  })
}
