import type { FindingSummary } from '../../findings/finding.ts'
import type { MatchReason } from '../../findings/finding-key.ts'
import type { KnownFinding } from '../../findings/known-finding.ts'
import { type Category, isIn } from '../../findings/occurrences/categories.ts'
import { maxComparedSamples } from '../../findings/ref-comparison/ref-comparison.ts'
import { type Severity, sharedSeverity } from '../../findings/scales.ts'
import type { Gap } from '../formats/gaps.ts'
import { type ImportPlace, mayChange } from './import-place.ts'
import type { StatedSuppression } from './imported-finding.ts'
import { type ReportedFinding, summaryOf } from './reported-finding.ts'

/** What an import does with one finding. Holds ids and no content, because a report may have 400,000 findings. */
export type Decision = NewFinding | ObservedFinding | MovedFinding | MissingFinding | RetainedFinding

/** A finding of the report that matches no known one. */
export interface NewFinding {
  kind: 'new'
  /** 0 while the finding is only staged, and in a dry run. */
  findingId: number
  /** Set if the finding must be stored from its staged content, because it could have been a known one. */
  staged?: { uuid: string; isLarge: boolean }
  severity: Severity
  /** Set for the first new findings of each severity only. */
  summary?: FindingSummary
  suppression?: StatedSuppression
}

/** A finding of the report that is known under the reported uuid. */
export interface ObservedFinding {
  kind: 'observed'
  findingId: number
  vulnerabilityId: number | null
  presence: Presence
  /** Staged content that replaces the stored one; absent if the content is unchanged or may not be changed. */
  content?: StagedContent
  suppression?: StatedSuppression
}

/** A finding of the report that is known under another uuid. */
export interface MovedFinding {
  kind: 'moved'
  findingId: number
  vulnerabilityId: number | null
  presence: Presence
  knownUuid: string
  reported: ReportedFinding
  reason: MatchReason
  /** Whether the known finding takes the content of the report. */
  updatesContent: boolean
}

/** A known finding that the report covers and does not contain. Another category may still contain it. */
export interface MissingFinding {
  kind: 'absent' | 'removedFromCategory'
  findingId: number
}

/** A known finding that the report does not contain and that keeps its state, because the report does not cover it. */
interface RetainedFinding {
  kind: 'retained'
  findingId: number
  /** Gaps of the report that cover the finding. */
  gaps: readonly Gap[]
  /** Artifact that contained the finding last, if it is another one than that of the report. */
  otherArtifact: string | undefined
}

export interface StagedContent {
  uuid: string
  severity: Severity
  /** Large contents are processed in smaller batches to limit memory. */
  isLarge: boolean
}

/** Presence on the ref before the import: never, not at the last scan, not in this category, or as reported. */
export type Presence = 'newOnRef' | 'reappeared' | 'newInCategory' | 'unchanged'

type Known = Pick<KnownFinding, 'id' | 'vulnerabilityId' | 'wasPresent' | 'categories' | 'wasOnDefaultBranch'>

function presenceOf(category: Category | undefined, { wasPresent, categories }: Known): Presence {
  if (wasPresent === undefined) return 'newOnRef'
  if (!wasPresent) return 'reappeared'
  return category && !isIn(category, categories) ? 'newInCategory' : 'unchanged'
}

/** Returns a function that returns true for the first findings of each severity. */
export function startSamples(): (severity: Severity) => boolean {
  const counts = new Map<Severity, number>()
  return (severity) => {
    const count = counts.get(severity) ?? 0
    counts.set(severity, count + 1)
    return count < maxComparedSamples
  }
}

/** Maximum number of sample findings of each kind in the outcome. */
export const maxSamples = 10

export const decideNew = (
  reported: ReportedFinding,
  { isStaged, isSample }: { isStaged: boolean; isSample: boolean },
): NewFinding => {
  // Every text from another thread is a copy of its own. Most decisions have no other fields, which saves memory.
  const decision: NewFinding = {
    kind: 'new',
    findingId: isStaged ? 0 : reported.id,
    severity: sharedSeverity(reported.severity),
  }
  if (isStaged) decision.staged = { uuid: reported.uuid, isLarge: reported.isLarge }
  if (isSample) decision.summary = summaryOf(reported)
  if (reported.suppression) decision.suppression = reported.suppression
  return decision
}

/** Decides on a known finding that the report contains without any change. */
export const decideUnchanged = (place: ImportPlace, known: Known): ObservedFinding => ({
  kind: 'observed',
  findingId: known.id,
  vulnerabilityId: known.vulnerabilityId,
  presence: presenceOf(place.category, known),
})

/**
 * Decides on a known finding in the report. `isChanged` is true if the staged content differs from the stored one.
 */
export const decideObserved = (
  place: ImportPlace,
  known: Known,
  reported: StagedContent & Pick<ReportedFinding, 'suppression'>,
  { isChanged }: { isChanged: boolean },
): ObservedFinding => {
  const decision = decideUnchanged(place, known)
  if (isChanged && mayChange(place, known))
    decision.content = { uuid: reported.uuid, severity: reported.severity, isLarge: reported.isLarge }
  if (reported.suppression) decision.suppression = reported.suppression
  return decision
}

export const decideMoved = (
  place: ImportPlace,
  reported: ReportedFinding,
  known: Known & { uuid: string },
  reason: MatchReason,
): MovedFinding => ({
  kind: 'moved',
  findingId: known.id,
  vulnerabilityId: known.vulnerabilityId,
  presence: presenceOf(place.category, known),
  knownUuid: known.uuid,
  reported,
  reason,
  updatesContent: mayChange(place, known),
})
