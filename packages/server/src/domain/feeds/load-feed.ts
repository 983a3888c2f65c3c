import { setImmediate } from 'node:timers/promises'
import { type Deps, type RootDeps, withRelaxedDurability } from '../deps.ts'
import { type Feed, type FeedKind, type FeedRelease, type FeedRows, WrongFeed } from './feed.ts'
import type { FeedFileReader } from './feed-file.ts'
import {
  beginLoad,
  deleteUnusedRows,
  endLoad,
  extendLoad,
  insertFeedRows,
  listFeedRows,
  switchGeneration,
} from './feed-queries.ts'

export interface LoadOptions {
  fileName: string
  /** Accepts data that is older, or much smaller, than the loaded data. */
  isForced: boolean
}

export type LoadOutcome = { outcome: 'loaded'; rowCount: number } | { outcome: 'older' } | { outcome: 'busy' }

/** Inserting this many rows takes about 50 ms, during which SQLite accepts no other write. */
const rowsPerBatch = 5_000
/** A load whose process ended is taken over afterwards. */
const leaseMs = 10 * 60 * 1000

/**
 * Replaces a feed by the rows of a file: inserts them as a new generation, then switches to it in one statement, so that
 * readers see either all former rows or all new ones. Throws `WrongFeed` and keeps the former rows if the file is wrong.
 */
export async function loadFeed(
  deps: RootDeps,
  file: Pick<FeedFileReader, 'kind' | 'read'>,
  options: LoadOptions,
): Promise<LoadOutcome> {
  const { kind } = file
  const generation = await beginLoad(deps.db, kind, { now: deps.now(), until: leaseEnd(deps) })
  if (generation === undefined) return { outcome: 'busy' }
  try {
    const inserted = await insertAll(deps, file, generation)
    if (!inserted) return { outcome: 'busy' }
    const { rowCount, release } = inserted
    const current = (await listFeedRows(deps.db)).find((feed) => feed.kind === kind)
    if (!options.isForced && isOlder(release, current)) return { outcome: 'older' }
    assertComplete(rowCount, current, options)
    const feed = { kind, generation, rowCount, ...release, fileName: options.fileName }
    if (!(await switchGeneration(deps.db, feed, deps.now()))) return { outcome: 'busy' }
    return { outcome: 'loaded', rowCount }
  } finally {
    await endLoad(deps.db, kind, generation)
    await removeUnusedRows(deps, kind)
  }
}

/** Reads the whole file without storing anything. Throws `WrongFeed` if it is wrong. */
export async function countRows(file: Pick<FeedFileReader, 'read'>): Promise<number> {
  const reading = file.read()
  let count = 0
  for (let part = await reading.next(); !part.done; part = await reading.next()) count += part.value.rows.length
  assertComplete(count, undefined, { isForced: false })
  return count
}

/** Returns undefined when the server stops: reading an archive may take minutes, and the next start reads it again. */
async function insertAll(
  deps: RootDeps,
  file: Pick<FeedFileReader, 'read'>,
  generation: number,
): Promise<{ rowCount: number; release: FeedRelease } | undefined> {
  const reading = file.read()
  let waiting: FeedRows | undefined
  let rowCount = 0
  for (;;) {
    const part = await reading.next()
    if (deps.stopping.aborted) return undefined
    if (part.done) {
      if (waiting) rowCount += await insertBatch(deps, generation, waiting)
      return { rowCount, release: part.value }
    }
    waiting = waiting ? joined(waiting, part.value) : part.value
    while (waiting.rows.length >= rowsPerBatch) {
      rowCount += await insertBatch(deps, generation, withRows(waiting, 0, rowsPerBatch))
      waiting = withRows(waiting, rowsPerBatch)
    }
  }
}

// A file has rows of one kind, so the results are of that kind.
const joined = (a: FeedRows, b: FeedRows) => ({ kind: a.kind, rows: [...a.rows, ...b.rows] }) as FeedRows
const withRows = ({ kind, rows }: FeedRows, start: number, end?: number) =>
  ({ kind, rows: rows.slice(start, end) }) as FeedRows

async function insertBatch(deps: RootDeps, generation: number, rows: FeedRows): Promise<number> {
  const count = await withRelaxedDurability(deps, async (deps) => {
    const isOurs = await extendLoad(deps.db, rows.kind, generation, leaseEnd(deps))
    if (!isOurs) throw new Error(`another process loads the feed ${rows.kind}`)
    return insertFeedRows(deps.db, generation, rows)
  })
  await setImmediate()
  return count
}

const leaseEnd = (deps: Deps) => new Date(Date.parse(deps.now()) + leaseMs).toISOString()

function isOlder({ publishedAt }: FeedRelease, current: Feed | undefined): boolean {
  return publishedAt !== null && current?.publishedAt != null && publishedAt < current.publishedAt
}

/** Feeds grow. A file with less than half of the rows has probably lost its end between two lines. */
function assertComplete(rowCount: number, current: Feed | undefined, { isForced }: { isForced: boolean }): void {
  if (rowCount === 0) throw new WrongFeed('the file has no rows')
  if (isForced || !current || rowCount * 2 >= current.rowCount) return
  throw new WrongFeed(
    `${rowCount} rows are less than half of the ${current.rowCount} loaded ones, so the file may be truncated; ` +
      'alcove feeds load --force loads it',
  )
}

async function removeUnusedRows(deps: RootDeps, kind: FeedKind): Promise<void> {
  while ((await withRelaxedDurability(deps, (deps) => deleteUnusedRows(deps.db, kind, rowsPerBatch))) > 0) {
    await setImmediate()
  }
}
