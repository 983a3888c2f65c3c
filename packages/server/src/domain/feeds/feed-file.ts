import { stat } from 'node:fs/promises'
import { type AdvisoryLimits, advisoryLimits } from './advisory-file.ts'
import type { FeedKind, FeedRelease, FeedRows } from './feed.ts'
import { WrongFeed } from './feed.ts'
import { type Lines, readHead, readLines } from './file-lines.ts'
import { isArchive, readArchive } from './osv-archive.ts'
import { readFolder } from './osv-folder.ts'
import { epssComment, readEpss } from './read-epss.ts'
import { readKev } from './read-kev.ts'
import { readAdvisories, readOsv } from './read-osv.ts'

/** A file of one of the feeds, read as a stream. */
export interface FeedFileReader {
  kind: FeedKind
  /** Yields all rows and returns the release. Throws `WrongFeed`; what it has yielded must not be used then. */
  read(): AsyncGenerator<FeedRows, FeedRelease>
  close(): Promise<void>
}

const readers = { epss: readEpss, kev: readKev, osv: readOsv }

/**
 * Opens a file and recognises its kind by its first line. An archive and a folder have advisories of OSV. Throws
 * `WrongFeed` if it is of no kind.
 */
export async function openFeedFile(path: string, limits = advisoryLimits): Promise<FeedFileReader> {
  const files = await openAdvisories(path, limits)
  if (files) return { kind: 'osv', read: () => readAdvisories(files), close: async () => void (await files.return()) }
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

async function openAdvisories(path: string, limits: AdvisoryLimits) {
  if ((await stat(path)).isDirectory()) return readFolder(path, limits)
  return isArchive(await readHead(path, 4)) ? readArchive(path, limits) : undefined
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
    'not recognised; expected EPSS scores (CSV), the KEV catalogue (JSON) or advisories of OSV (an archive, or one JSON object per line)',
    1,
  )
}

const isCatalogue = (line: string) => line.includes('"catalogVersion"') || line.includes('"vulnerabilities"')
