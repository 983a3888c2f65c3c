import type { Decision, MovedFinding, NewFinding, ObservedFinding, Presence, StagedContent } from './decision.ts'
import type { StatedSuppression } from './imported-finding.ts'

/** A known finding whose content the report changes. */
export interface ChangedFinding extends StagedContent {
  findingId: number
}

/** The decisions of an import by what they change, each group in the order of the decisions. */
export interface GroupedDecisions {
  new: NewFinding[]
  moved: MovedFinding[]
  changed: ChangedFinding[]
  /** Known findings in the report, by their presence before. */
  byPresence: Record<Presence, (ObservedFinding | MovedFinding)[]>
  /** Ids of the known findings in the report. */
  observed: number[]
  absent: number[]
  removedFromCategory: number[]
  /** Ids of findings in the report that have no vulnerability; 0 for findings that are not stored. */
  unattached: number[]
  /** Suppressions that the report states; the id is 0 for findings that are not stored. */
  suppressed: (StatedSuppression & { findingId: number; vulnerabilityId: number | null })[]
}

export function groupDecisions(decisions: readonly Decision[]): GroupedDecisions {
  const groups: GroupedDecisions = {
    new: [],
    moved: [],
    changed: [],
    byPresence: { newOnRef: [], reappeared: [], newInCategory: [], unchanged: [] },
    observed: [],
    absent: [],
    removedFromCategory: [],
    unattached: [],
    suppressed: [],
  }
  for (const decision of decisions) {
    const { findingId } = decision
    switch (decision.kind) {
      case 'new':
        groups.new.push(decision)
        groups.unattached.push(findingId)
        addSuppression(groups, decision)
        break
      case 'observed':
      case 'moved':
        groups.observed.push(findingId)
        groups.byPresence[decision.presence].push(decision)
        if (decision.vulnerabilityId === null) groups.unattached.push(findingId)
        addSuppression(groups, decision)
        if (decision.kind === 'moved') groups.moved.push(decision)
        else if (decision.content) groups.changed.push({ findingId, ...decision.content })
        break
      case 'absent':
      case 'removedFromCategory':
        groups[decision.kind].push(findingId)
    }
  }
  return groups
}

function addSuppression({ suppressed }: GroupedDecisions, decision: NewFinding | ObservedFinding | MovedFinding): void {
  const { findingId } = decision
  const suppression = suppressionOf(decision)
  const vulnerabilityId = decision.kind === 'new' ? null : decision.vulnerabilityId
  if (suppression) suppressed.push({ ...suppression, findingId, vulnerabilityId })
}

/** Returns what the report states about the suppression of a finding. */
export const suppressionOf = (decision: NewFinding | ObservedFinding | MovedFinding): StatedSuppression | undefined =>
  decision.kind === 'moved' ? decision.reported.suppression : decision.suppression

export const idsOf = (decisions: readonly { findingId: number }[]): number[] => decisions.map((one) => one.findingId)
