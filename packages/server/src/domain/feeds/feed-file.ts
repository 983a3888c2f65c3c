import type { FeedKind, FeedRelease, FeedRows } from './feed.ts'
import { WrongFeed } from './feed.ts'
import { type Lines, readLines } from './file-lines.ts'
import { epssComment, readEpss } from './read-epss.ts'
import { readKev } from './read-kev.ts'
import { readOsv } from './read-osv.ts'

/** A file of one of the feeds, read as a stream. */
export interface FeedFileReader {
  kind: FeedKind
  /** Yields all rows and returns the release. Throws `WrongFeed`; what it has yielded must not be used then. */
  read(): AsyncGenerator<FeedRows, FeedRelease>
  close(): Promise<void>
}

const readers = { epss: readEpss, kev: readKev, osv: readOsv }

/** Opens a file and recognises its kind by its first line. Throws `WrongFeed` if it is of none. */
export async function openFeedFile(path: string): Promise<FeedFileReader> {
  const parts = readLines(path)
  const first = await parts.next()
  if (first.done) throw new WrongFeed('the file is empty')
  const kind = kindOf(first.value.lines[0] ?? '')
  return {
    kind,
    read: () => readers[kind](withFirst(first.value, parts)),
    close: async () => void (await parts.return(undefined)),
  }
}

async function* withFirst(first: Lines, rest: AsyncIterable<Lines>): AsyncGenerator<Lines> {
  yield first
  yield* rest
}

function kindOf(line: string): FeedKind {
  if (line.startsWith(epssComment)) return 'epss'
  const start = line.trimStart()
  // An advisory is one line; the catalogue is usually many, and names its entries in either case.
  if (start.startsWith('{')) return start.slice(1).trimStart().startsWith('"') && !isCatalogue(start) ? 'osv' : 'kev'
  throw new WrongFeed(
    'not recognised; expected EPSS scores (CSV), the KEV catalogue (JSON) or advisories of OSV (one JSON object per line)',
    1,
  )
}

const isCatalogue = (line: string) => line.includes('"catalogVersion"') || line.includes('"vulnerabilities"')
