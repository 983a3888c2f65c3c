import type { FindingSummary } from '../../findings/finding.ts'
import {
  type Decision,
  type MovedFinding,
  maxSamples,
  type NewFinding,
  type ObservedFinding,
  type Presence,
  type StagedContent,
} from './decision.ts'
import type { StatedSuppression } from './imported-finding.ts'

/** A known finding whose content the report changes. */
export interface ChangedFinding extends StagedContent {
  findingId: number
}

/** The decisions of an import by what they change, each group in the order of the decisions. Ids are those of findings. */
export interface GroupedDecisions {
  /** Ids of the new findings; 0 for findings that are not stored. */
  new: number[]
  /** Summaries of those of the first new findings that have one. */
  newSamples: FindingSummary[]
  /** New findings that are stored from staged content. */
  stagedNew: NonNullable<NewFinding['staged']>[]
  moved: MovedFinding[]
  changed: ChangedFinding[]
  /** Ids of the known findings in the report whose presence changes. */
  byPresence: Record<Exclude<Presence, 'unchanged'>, number[]>
  /** Those of the findings that are new on the ref that have a vulnerability. */
  promotedNewOnRef: number[]
  /** Ids of the known findings in the report. */
  observed: number[]
  absent: number[]
  removedFromCategory: number[]
  /** Ids of findings in the report that have no vulnerability; 0 for findings that are not stored. */
  unattached: number[]
  /** Suppressions that the report states; the id is 0 for findings that are not stored. */
  suppressed: (StatedSuppression & { findingId: number; vulnerabilityId: number | null })[]
}

export function groupDecisions(decisions: Iterable<Decision>): GroupedDecisions {
  const groups: GroupedDecisions = {
    new: [],
    newSamples: [],
    stagedNew: [],
    moved: [],
    changed: [],
    byPresence: { newOnRef: [], reappeared: [], newInCategory: [] },
    promotedNewOnRef: [],
    observed: [],
    absent: [],
    removedFromCategory: [],
    unattached: [],
    suppressed: [],
  }
  for (const decision of decisions) {
    switch (decision.kind) {
      case 'new':
        addNew(groups, decision)
        break
      case 'observed':
      case 'moved':
        addKnown(groups, decision)
        break
      case 'absent':
      case 'removedFromCategory':
        groups[decision.kind].push(decision.findingId)
    }
  }
  return groups
}

function addNew(groups: GroupedDecisions, decision: NewFinding): void {
  const { findingId, summary, staged } = decision
  if (summary && groups.new.length < maxSamples) groups.newSamples.push(summary)
  groups.new.push(findingId)
  if (staged) groups.stagedNew.push(staged)
  groups.unattached.push(findingId)
  addSuppression(groups, decision)
}

function addKnown(groups: GroupedDecisions, decision: ObservedFinding | MovedFinding): void {
  const { findingId, presence, vulnerabilityId } = decision
  groups.observed.push(findingId)
  if (presence !== 'unchanged') groups.byPresence[presence].push(findingId)
  if (presence === 'newOnRef' && vulnerabilityId !== null) groups.promotedNewOnRef.push(findingId)
  if (vulnerabilityId === null) groups.unattached.push(findingId)
  addSuppression(groups, decision)
  if (decision.kind === 'moved') groups.moved.push(decision)
  else if (decision.content) groups.changed.push({ findingId, ...decision.content })
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
