import type { Deps } from '../../deps.ts'
import { listSummaries } from '../../findings/findings.ts'
import { type Decision, maxSamples, missingIds, observedIn, ofKind } from '../comparison/decision.ts'
import { summaryOf } from '../comparison/reported-finding.ts'
import type { ImportCounts, ImportSamples } from './import.ts'

type DecisionCounts = Pick<ImportCounts, 'new' | 'known' | 'returned' | 'gone' | 'changed' | 'moved'>

/** Counts decisions as the response to an import and to a dry run shows them. `total` is the report's own number. */
export function countDecisions(decisions: readonly Decision[], total: number): DecisionCounts {
  const isNew = ofKind(decisions, 'new').length
  const returned = reappearedIn(decisions).length
  return {
    new: isNew,
    known: total - isNew - returned,
    returned,
    gone: missingIds(decisions, 'absent').length,
    changed: changedIn(decisions).length,
    moved: ofKind(decisions, 'moved').length,
  }
}

/** Returns the first findings of each kind. */
export async function sampleDecisions({ db }: Deps, decisions: readonly Decision[]): Promise<ImportSamples> {
  const some = (ids: readonly number[]) => listSummaries(db, ids.slice(0, maxSamples))
  return {
    new: ofKind(decisions, 'new').flatMap(({ summary }) => summary ?? []),
    returned: await some(reappearedIn(decisions)),
    gone: await some(missingIds(decisions, 'absent')),
    changed: await some(changedIn(decisions)),
    moved: ofKind(decisions, 'moved')
      .slice(0, maxSamples)
      .map(({ reported, knownUuid, reason }) => ({ ...summaryOf(reported), uuid: knownUuid, reason })),
  }
}

const reappearedIn = (decisions: readonly Decision[]): number[] =>
  observedIn(decisions).flatMap(({ presence, findingId }) => (presence === 'reappeared' ? findingId : []))

const changedIn = (decisions: readonly Decision[]): number[] =>
  ofKind(decisions, 'observed').flatMap(({ content, findingId }) => (content ? findingId : []))
