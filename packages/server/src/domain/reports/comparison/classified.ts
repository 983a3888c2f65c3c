import { type Gaps, startGaps } from '../formats/gaps.ts'
import type { JsonObject } from '../formats/report.ts'
import type { FingerprintKey } from '../formats/result-fingerprints.ts'
import type { KnownFinding } from '../imports/finding-queries.ts'
import { type Category, isIn } from './categories.ts'
import { type Repeats, startRepeats } from './contested.ts'
import type { FindingKey } from './finding-keys.ts'
import type { ImportedFinding } from './imported-finding.ts'

/** Where a report belongs. */
export interface ImportPlace {
  projectId: number
  ref: string
  defaultBranch: string
  /** Absent: the report speaks for all of the ref. */
  category: Category | undefined
  /** What the report is about, where it has no category; known when it is read. */
  artifact: string | undefined
  /** What the sender says of the scan: see `IngestOptions`. */
  isPartial?: boolean | undefined
  /** Absent: a rehearsal, which writes nothing. */
  importId: number | undefined
  now: string
}

/** What is known of all findings of a report once it is read to its end. Ids only: there may be many. */
export interface Classified {
  scannerIds: Map<string, number>
  /** Those of the scanners that have found anything here before: only of theirs can anything have moved or gone. */
  scannersWithPast: Set<number>
  /** Findings that the report names, by whatever uuid. */
  seen: Set<number>
  /** New to the project: invisible until the import is shown, and without child rows. */
  newcomers: number[]
  /** Known, and never on this ref before. */
  arrivals: number[]
  /** Of those that arrive: with a vulnerability, from another ref. */
  found: number[]
  returned: number[]
  /** There already, and never in a report of this category before. */
  joined: number[]
  /** Known ones that say something else now. */
  changed: StagedFinding[]
  /** Those without a vulnerability; in a rehearsal new ones are counted as id 0. */
  unattached: number[]
  /** Not known under this uuid, but perhaps under another one. */
  fresh: FreshFinding[]
  /** Known under no uuid: so many, and the first of them. */
  news: { total: number; first: FreshFinding[] }
  /** Known under another uuid since an earlier import, unless another entry of this report is that finding. */
  claims: Claim[]
  /** At the place of a known finding, and perhaps another one. */
  contested: Contested[]
  /** Fingerprints of the report. */
  repeats: Repeats
  /** What doubtful findings may stand for. */
  doubts: Gaps
  /** How many the report names. */
  kept: number
}

export interface StagedFinding {
  findingId: number
  /** What it is staged under. */
  uuid: string
  /** So that not many of them are held at once. */
  isLarge: boolean
}

export interface FreshFinding {
  /** 0 in a rehearsal. */
  id: number
  uuid: string
  name: string
  severity: ImportedFinding['severity']
  reportType: string
  /** 0 of a scanner that only a rehearsal has met. */
  scannerId: number
  location: JsonObject
  line: number
  isLarge: boolean
  keys: readonly FindingKey[]
  fingerprints: readonly FingerprintKey[]
  /** Of a finding that has nothing but its line. */
  nearestKey: string | undefined
  former: readonly { uuid: string; reason: 'identifier' | 'location' }[]
}

interface Claim extends FreshFinding {
  known: KnownFinding
  differs: boolean
}

/** A finding at the place of a known one with other fingerprints, under a uuid of its own. */
interface Contested extends FreshFinding {
  owner: KnownFinding
}

/** Content of a finding belongs to the default branch as soon as that has seen it; other branches only see it there. */
export const mayChange = (place: ImportPlace, known: { wasOnDefaultBranch: boolean }): boolean =>
  place.ref === place.defaultBranch || !known.wasOnDefaultBranch

/** Of a report of which nothing was read yet. */
export function nothingClassified(): Classified {
  return {
    scannerIds: new Map(),
    scannersWithPast: new Set(),
    seen: new Set(),
    newcomers: [],
    arrivals: [],
    found: [],
    returned: [],
    joined: [],
    changed: [],
    unattached: [],
    fresh: [],
    news: { total: 0, first: [] },
    claims: [],
    contested: [],
    repeats: startRepeats(),
    doubts: startGaps(),
    kept: 0,
  }
}

/** As many as anybody looks at. */
export const maxSamples = 10

/** A finding that the project did not know. In a rehearsal it has no id. */
export function addNew({ news, newcomers, unattached }: Classified, fresh: FreshFinding): void {
  if (news.total++ < maxSamples) news.first.push(fresh)
  if (fresh.id !== 0) newcomers.push(fresh.id)
  unattached.push(fresh.id)
}

/** A known finding that the report names. */
export function see(
  { seen, arrivals, found, returned, joined, unattached }: Classified,
  { category }: Pick<ImportPlace, 'category'>,
  known: Pick<KnownFinding, 'id' | 'vulnerabilityId' | 'wasPresent' | 'categories'>,
): void {
  seen.add(known.id)
  if (known.wasPresent === undefined) arrivals.push(known.id)
  else if (!known.wasPresent) returned.push(known.id)
  else if (category && !isIn(category, known.categories)) joined.push(known.id)
  if (known.vulnerabilityId === null) unattached.push(known.id)
  else if (known.wasPresent === undefined) found.push(known.id)
}

export function idOf(ids: ReadonlyMap<string, number>, key: string): number {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`nothing was stored under ${key}`)
  return id
}
