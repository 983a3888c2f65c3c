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
import type { Decisions } from './decision-list.ts'
import type { StatedSuppression } from './imported-finding.ts'

/** A known finding whose content the report changes. */
export interface ChangedFinding extends StagedContent {
  findingId: number
}

/** The decisions of an import by what they change, each group in the order of the decisions. Ids are those of findings. */
export interface GroupedDecisions {
  /** Ids of the new findings; 0 for findings that are not stored. */
  new: number[]
  /** Summaries of the first `maxSamples` new findings, where they have one. */
  newSamples: FindingSummary[]
  /** New findings that are stored from staged content. */
  stagedNew: NonNullable<NewFinding['staged']>[]
  moved: MovedFinding[]
  changed: ChangedFinding[]
  /** Ids of the known findings in the report whose presence changes. */
  byPresence: Record<Exclude<Presence, 'unchanged'>, number[]>
  /** Ids of the findings that are new on the ref and have a vulnerability. */
  promotedNewOnRef: number[]
  /** Ids of the known findings in the report. */
  observed: number[]
  absent: number[]
  removedFromCategory: number[]
  /** Suppressions that the report states; the id is 0 for findings that are not stored. */
  suppressed: (StatedSuppression & { findingId: number; vulnerabilityId: number | null })[]
}

export function groupDecisions(decisions: Decisions): GroupedDecisions {
  const groups: GroupedDecisions = {
    new: new Array<number>(countWhere(decisions, ({ kind }) => kind === 'new')),
    newSamples: [],
    stagedNew: [],
    moved: [],
    changed: [],
    byPresence: { newOnRef: [], reappeared: [], newInCategory: [] },
    promotedNewOnRef: [],
    observed: new Array<number>(countWhere(decisions, isKnown)),
    absent: [],
    removedFromCategory: [],
    suppressed: [],
  }
  let countedNew = 0
  let countedKnown = 0
  for (const decision of decisions) {
    switch (decision.kind) {
      case 'new':
        if (countedNew < maxSamples && decision.summary) groups.newSamples.push(decision.summary)
        groups.new[countedNew++] = decision.findingId
        if (decision.staged) groups.stagedNew.push(decision.staged)
        addSuppression(groups, decision)
        break
      case 'observed':
      case 'moved':
        groups.observed[countedKnown++] = decision.findingId
        addKnown(groups, decision)
        break
      case 'absent':
      case 'removedFromCategory':
        groups[decision.kind].push(decision.findingId)
    }
  }
  return groups
}

/** Returns the ids of findings in the report that have no vulnerability; 0 for findings that are not stored. */
export function unattachedIds(decisions: Decisions): number[] {
  const isUnattached = (decision: Decision) =>
    decision.kind === 'new' || (isKnown(decision) && decision.vulnerabilityId === null)
  const ids = new Array<number>(countWhere(decisions, isUnattached))
  let at = 0
  for (const decision of decisions) if (isUnattached(decision)) ids[at++] = decision.findingId
  return ids
}

/** Counts decisions for an array of their number: one that grows to 400,000 ids leaves 10 MB of shorter ones to the collector. */
function countWhere(decisions: Decisions, isWanted: (decision: Decision) => boolean): number {
  let count = 0
  for (const decision of decisions) if (isWanted(decision)) count++
  return count
}

const isKnown = (decision: Decision): decision is ObservedFinding | MovedFinding =>
  decision.kind === 'observed' || decision.kind === 'moved'

function addKnown(groups: GroupedDecisions, decision: ObservedFinding | MovedFinding): void {
  const { findingId, presence, vulnerabilityId } = decision
  if (presence !== 'unchanged') groups.byPresence[presence].push(findingId)
  if (presence === 'newOnRef' && vulnerabilityId !== null) groups.promotedNewOnRef.push(findingId)
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
