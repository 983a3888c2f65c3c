import { isOfOneFile, type MatchReason } from '../../findings/finding-key.ts'
import type { Candidate, KnownFinding } from '../../findings/known-finding.ts'
import { isCovered } from '../../findings/occurrences/categories.ts'
import type { Severity } from '../../findings/scales.ts'
import { isOfAnother } from '../formats/identity/artifacts.ts'
import { type Decision, decideMoved, decideNew, decideObserved } from './decision.ts'
import type { IdSet } from './id-set.ts'
import type { ImportPlace } from './import-place.ts'
import type { ReportedFinding } from './reported-finding.ts'

/** Progress of matching. Every step returns a new value. */
export interface Matching {
  /** Ids of the known findings that the report contains under a uuid by which they were known. */
  observed: IdSet
  /** Ids of the known findings that were matched since. */
  matched: ReadonlySet<number>
  decisions: readonly Decision[]
  /** Reported findings that match no known finding so far. */
  open: readonly ReportedFinding[]
}

/** A reported finding and a known finding that it may be, under another uuid. */
export interface Pair {
  reported: ReportedFinding
  known: Candidate
  reason: MatchReason
}

/** A reported finding that an earlier import matched with a known one. */
export interface MatchedBefore {
  reported: ReportedFinding
  known: KnownFinding
  isChanged: boolean
}

/** A reported finding at the place of a known one with other fingerprints. */
export interface ContestedFinding {
  reported: ReportedFinding
  owner: KnownFinding
}

export const isObserved = ({ observed, matched }: Matching, findingId: number): boolean =>
  observed.has(findingId) || matched.has(findingId)

/**
 * Returns true if the known finding can have moved to a place in this report. A finding that only other categories
 * contain, here or on the default branch, has not moved. A finding of a report without a category may have moved within
 * its file, but not to another one. A finding that another artifact contained last is still there.
 */
export const mayHaveMoved = (
  place: ImportPlace,
  { wasPresent, categories, artifact }: Candidate,
  rank: number,
): boolean =>
  !(wasPresent === true && isOfAnother(place.artifact, artifact)) &&
  (isCovered(place.category, categories) || (categories.length === 0 && (wasPresent !== true || isOfOneFile(rank))))

/**
 * Repeats the matches of earlier imports. The finding that has a uuid of its own takes precedence; of two that were
 * matched with the same finding, the first one in the file. The others stay open, after the unmatched findings.
 */
export function repeatMatches(
  place: ImportPlace,
  { observed, open }: { observed: IdSet; open: readonly ReportedFinding[] },
  before: readonly MatchedBefore[],
): Matching {
  const matched = new Set<number>()
  const decisions: Decision[] = []
  const rejected: ReportedFinding[] = []
  for (const { reported, known, isChanged } of before) {
    if (observed.has(known.id) || matched.has(known.id)) rejected.push(reported)
    else {
      matched.add(known.id)
      decisions.push(decideObserved(place, known, reported, { isChanged }))
    }
  }
  return { observed, matched, decisions, open: [...open, ...rejected] }
}

/** Accepts pairs in their order, unless one of the two findings is already matched. */
export function acceptPairs(place: ImportPlace, matching: Matching, pairs: readonly Pair[]): Matching {
  const taken = new Set<ReportedFinding>()
  const matched = new Set(matching.matched)
  const decisions: Decision[] = []
  for (const { reported, known, reason } of pairs) {
    if (taken.has(reported) || matching.observed.has(known.id) || matched.has(known.id)) continue
    taken.add(reported)
    matched.add(known.id)
    decisions.push(decideMoved(place, reported, known, reason))
  }
  return settle(matching, { taken, matched, decisions })
}

/**
 * Keeps a known finding whose place the report contains and that matched nowhere else: its scanner computes other
 * fingerprints now.
 */
export function keepAtPlace(place: ImportPlace, matching: Matching, contested: readonly ContestedFinding[]): Matching {
  const open = new Set(matching.open)
  const taken = new Set<ReportedFinding>()
  const matched = new Set(matching.matched)
  const decisions: Decision[] = []
  for (const { reported, owner } of contested) {
    if (!open.has(reported) || matching.observed.has(owner.id) || matched.has(owner.id)) continue
    taken.add(reported)
    matched.add(owner.id)
    decisions.push(decideObserved(place, owner, reported, { isChanged: true }))
  }
  return settle(matching, { taken, matched, decisions })
}

interface Step extends Pick<Matching, 'matched' | 'decisions'> {
  taken: ReadonlySet<ReportedFinding>
}

const settle = (matching: Matching, { taken, matched, decisions }: Step): Matching =>
  taken.size === 0
    ? matching
    : {
        observed: matching.observed,
        matched,
        decisions: [...matching.decisions, ...decisions],
        open: matching.open.filter((reported) => !taken.has(reported)),
      }

/** Decides that all open findings are new. `staged` are those whose content is only staged. */
export const decideOpen = (
  { open }: Matching,
  staged: ReadonlySet<ReportedFinding>,
  isSample: (severity: Severity) => boolean,
): Decision[] =>
  open.map((reported) => decideNew(reported, { isStaged: staged.has(reported), isSample: isSample(reported.severity) }))
