import { type Category, isIn } from '../../findings/categories.ts'
import type { FindingKey } from '../../findings/finding-key.ts'
import type { KnownFinding } from '../../findings/known-finding.ts'
import { type Gaps, startGaps } from '../formats/gaps.ts'
import type { FingerprintKey } from '../formats/identity/result-fingerprints.ts'
import type { JsonObject } from '../formats/report.ts'
import { type Repeats, startRepeats } from './contested.ts'
import type { ImportedFinding } from './imported-finding.ts'

/** Project, ref and scope of a report. */
export interface ImportPlace {
  projectId: number
  ref: string
  defaultBranch: string
  /** Absent: the report covers the whole ref. */
  category: Category | undefined
  /** Artifact that the report describes, if it has no category; set after the report has been read. */
  artifact: string | undefined
  /** Whether the sender declares the scan as partial: see `IngestOptions`. */
  isPartial?: boolean | undefined
  /** Absent in a dry run, which writes nothing. */
  importId: number | undefined
  now: string
}

/** The comparison of all findings of a report with the project. Holds ids rather than findings to save memory. */
export interface Classified {
  scannerIds: Map<string, number>
  /** Scanners with earlier findings in this project. Only their findings can have moved or be absent. */
  scannersWithPast: Set<number>
  /** Ids of known findings in the report, under any uuid. */
  observed: Set<number>
  /** New to the project; invisible until the import becomes visible. */
  newIds: number[]
  /** Known, and never observed on this ref. */
  newOnRef: number[]
  /** Findings of `newOnRef` that have a vulnerability. */
  newOnRefPromoted: number[]
  returned: number[]
  /** Present, and never in a report of this category before. */
  addedToCategory: number[]
  /** Known findings whose content has changed. */
  changed: StagedFinding[]
  /** Findings without a vulnerability. A dry run adds the id 0 for each new one. */
  unattached: number[]
  /** Findings whose uuid is unknown, but that may match a known finding. */
  unmatched: ReportedFinding[]
  /** Number of findings that match no known one, and the first of them. */
  newFindings: { total: number; first: ReportedFinding[] }
  /** Findings matched by an earlier import, unless another entry of this report has the known finding's own uuid. */
  candidateMatches: CandidateMatch[]
  /** Findings at the place of a known finding, but with other fingerprints. */
  contested: Contested[]
  /** Fingerprints that occur more than once in the report. */
  repeats: Repeats
  /** Known findings that a doubtful entry may represent. */
  doubts: Gaps
  /** Number of findings in the report. */
  total: number
}

export interface StagedFinding {
  findingId: number
  /** Key of the staged draft. */
  uuid: string
  /** Large drafts are processed in smaller batches to limit memory. */
  isLarge: boolean
}

export interface ReportedFinding {
  /** 0 in a dry run. */
  id: number
  uuid: string
  name: string
  severity: ImportedFinding['severity']
  reportType: string
  /** 0 if a dry run found a scanner that the project does not have. */
  scannerId: number
  location: JsonObject
  line: number
  isLarge: boolean
  keys: readonly FindingKey[]
  fingerprints: readonly FingerprintKey[]
  /** Key for matching by line, set only if the finding has no better key. */
  nearestKey: string | undefined
  former: readonly { uuid: string; reason: 'identifier' | 'location' }[]
}

interface CandidateMatch extends ReportedFinding {
  known: KnownFinding
  differs: boolean
}

/** A finding whose uuid belongs to a known finding at the same place with other fingerprints. */
interface Contested extends ReportedFinding {
  owner: KnownFinding
}

/**
 * Returns true if this import may change the content of the finding. Once the default branch has observed a finding,
 * imports into other refs record its presence only.
 */
export const mayChange = (place: ImportPlace, known: { wasOnDefaultBranch: boolean }): boolean =>
  place.ref === place.defaultBranch || !known.wasOnDefaultBranch

/** Returns the initial state of a comparison. */
export function emptyComparison(): Classified {
  return {
    scannerIds: new Map(),
    scannersWithPast: new Set(),
    observed: new Set(),
    newIds: [],
    newOnRef: [],
    newOnRefPromoted: [],
    returned: [],
    addedToCategory: [],
    changed: [],
    unattached: [],
    unmatched: [],
    newFindings: { total: 0, first: [] },
    candidateMatches: [],
    contested: [],
    repeats: startRepeats(),
    doubts: startGaps(),
    total: 0,
  }
}

/** Maximum number of sample findings in the outcome. */
export const maxSamples = 10

/** Adds a finding that matches no known one. */
export function addNew({ newFindings, newIds, unattached }: Classified, reported: ReportedFinding): void {
  if (newFindings.total++ < maxSamples) newFindings.first.push(reported)
  if (reported.id !== 0) newIds.push(reported.id)
  unattached.push(reported.id)
}

/** Records that the report contains a known finding. */
export function addKnown(
  { observed, newOnRef, newOnRefPromoted, returned, addedToCategory, unattached }: Classified,
  { category }: Pick<ImportPlace, 'category'>,
  known: Pick<KnownFinding, 'id' | 'vulnerabilityId' | 'wasPresent' | 'categories'>,
): void {
  observed.add(known.id)
  if (known.wasPresent === undefined) newOnRef.push(known.id)
  else if (!known.wasPresent) returned.push(known.id)
  else if (category && !isIn(category, known.categories)) addedToCategory.push(known.id)
  if (known.vulnerabilityId === null) unattached.push(known.id)
  else if (known.wasPresent === undefined) newOnRefPromoted.push(known.id)
}

export function idOf(ids: ReadonlyMap<string, number>, key: string): number {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`nothing was stored under ${key}`)
  return id
}
