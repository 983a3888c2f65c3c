export const feedKinds = ['epss', 'kev', 'osv'] as const
export type FeedKind = (typeof feedKinds)[number]

/** Exploit prediction of a CVE. Fractions are stored as millionths, so that they stay exact. */
export interface EpssScore {
  cve: string
  scoreMillionths: number
  percentileMillionths: number
}

/** A CVE that is known to be exploited. */
export interface KevEntry {
  cve: string
  /** YYYY-MM-DD */
  addedOn: string
  /** YYYY-MM-DD */
  dueOn: string | null
  /** Used in campaigns of ransomware. */
  isRansomware: boolean
}

/** Two identifiers of one advisory, in capitals. */
export interface OsvAlias {
  name: string
  alias: string
}

/** Rows of a part of a file. */
export type FeedRows =
  | { kind: 'epss'; rows: EpssScore[] }
  | { kind: 'kev'; rows: KevEntry[] }
  | { kind: 'osv'; rows: OsvAlias[] }

/** What a file states about its data. */
export interface FeedRelease {
  version: string | null
  publishedAt: string | null
}

/** A feed as it is stored. */
export interface Feed extends FeedRelease {
  kind: FeedKind
  /** Number of the load whose rows are used; 0 before the first load. */
  generation: number
  rowCount: number
  fileName: string | null
  loadedAt: string | null
}

/** A file that was read. */
export interface FeedFile {
  name: string
  bytes: number
  modifiedAt: string
  digest: string
  /** Null if the file was not recognised. */
  kind: FeedKind | null
  outcome: 'loaded' | 'older' | 'rejected'
  error: string | null
  readAt: string
}

/** A file that cannot be used. The message names the line, or the file in an archive or a folder. */
export class WrongFeed extends Error {
  constructor(reason: string, place?: number | string) {
    const prefix = typeof place === 'number' ? `line ${place}: ` : place === undefined ? '' : `${place.slice(0, 200)}: `
    // Reasons and names quote the file, and PostgreSQL stores no NUL.
    super(`${prefix}${reason}`.toWellFormed().replace(/\p{Cc}/gu, ' '))
  }
}
