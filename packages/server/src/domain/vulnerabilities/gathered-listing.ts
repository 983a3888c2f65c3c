import { type Cache, openCache } from '../../db/cache.ts'
import type { Changes } from '../../db/db.ts'
import { maxCountedRows } from '../page.ts'
import type { Code } from './codes.ts'
import { type Gathered, gather, gatherAll, type Way } from './gather.ts'
import { heldListing, type Listing, type Test, testedListing } from './held-listing.ts'

/** What was gathered, remembered: short lists, and long ones that cannot be read otherwise. */
interface ListMemory {
  short: Cache<Gathered>
  whole: Cache<Float64Array>
}

const bytesEach = 8
const [shortBytes, wholeBytes] = [2 ** 21, 2 ** 24]

export function openListMemory(changes: Changes, tables: readonly string[]): ListMemory {
  return {
    short: openCache<Gathered>(changes, tables, shortBytes / bytesEach, (rows) => rows.length + 1),
    whole: openCache<Float64Array>(changes, tables, wholeBytes / bytesEach, (rows) => rows.length + 1),
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
  /** More than what is wanted, in the order of the list. */
  inOrder: Pick<Listing, 'next'>
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
  const rows = await (memory ? memory.short.get(key, gatherShort) : gatherShort())
  if (rows !== 'too many') return heldListing(rows, code)
  let whole: Promise<Float64Array> | undefined
  return testedListing(inOrder, test, mostPassedBy, async () => {
    whole ??= memory ? memory.whole.get(key, gatherWhole) : gatherWhole()
    return heldListing(await whole, code)
  })
}
