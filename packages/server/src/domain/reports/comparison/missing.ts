import {
  type Category,
  type CategoryIds,
  isCovered,
  isCoveredExclusively,
} from '../../findings/occurrences/categories.ts'
import { covers, type Gap, isTotal } from '../formats/gaps.ts'
import { isOfAnother } from '../formats/identity/artifacts.ts'
import type { Decision, MissingFinding } from './decision.ts'
import type { IdSet } from './id-set.ts'

/** A known finding of a scanner and type, and its state on the ref. */
export interface StoredState {
  id: number
  isPresent: boolean
  categories: CategoryIds
}

/** The last observation of a finding. */
export interface LastObservation {
  id: number
  place: string | null
  identifier: string
  lastImportId: number | null
  artifact: string | null
}

/** Findings that the report does not contain, by what happens to them unless they are retained. */
export interface Missing {
  absent: number[]
  removedFromCategory: number[]
  /** Already absent from the ref; the default branch may still record them as present. */
  absentBefore: number[]
}

/** Selects the findings that the report could contain and does not. */
export function selectMissing(known: readonly StoredState[], category: Category | undefined, observed: IdSet): Missing {
  const missing: Missing = { absent: [], removedFromCategory: [], absentBefore: [] }
  for (const { id, isPresent, categories } of known) {
    if (observed.has(id)) continue
    if (!isPresent) missing.absentBefore.push(id)
    else if (isCoveredExclusively(category, categories)) missing.absent.push(id)
    else if (isCovered(category, categories)) missing.removedFromCategory.push(id)
  }
  return missing
}

/** Parts of a report that decide which missing findings keep their state. */
export interface Retention {
  /** Gaps of the report that apply to the scanner and type. */
  gaps: readonly Gap[]
  /** Artifact of the report. */
  artifact: string | undefined
}

/** Returns true if the last observations must be known to decide. */
export const needsObservations = ({ gaps, artifact }: Retention): boolean =>
  !gaps.some(isTotal) && (gaps.length > 0 || artifact !== undefined)

/**
 * Decides on missing findings. A finding keeps its state if a gap covers it, or if another artifact contained it last.
 */
export function decideMissing(
  missing: readonly { kind: MissingFinding['kind']; findingId: number }[],
  { gaps, artifact }: Retention,
  observations: ReadonlyMap<number, LastObservation>,
): Decision[] {
  const isNothingCovered = gaps.some(isTotal)
  return missing.map(({ kind, findingId }): Decision => {
    if (isNothingCovered) return { kind: 'retained', findingId, gaps: [], otherArtifact: undefined }
    const last = observations.get(findingId)
    const otherArtifact = last?.artifact && isOfAnother(artifact, last.artifact) ? last.artifact : undefined
    const covering = last ? gaps.filter((gap) => covers(gap, last)) : []
    return covering.length > 0 || otherArtifact !== undefined
      ? { kind: 'retained', findingId, gaps: covering, otherArtifact }
      : { kind, findingId }
  })
}
