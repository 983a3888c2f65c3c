import type { Deps } from '../../deps.ts'
import { listSummaries } from '../../findings/findings.ts'
import { maxSamples } from '../comparison/decision.ts'
import { type GroupedDecisions, idsOf } from '../comparison/grouped-decisions.ts'
import { summaryOf } from '../comparison/reported-finding.ts'
import type { ImportCounts, ImportSamples } from './import.ts'

type DecisionCounts = Pick<ImportCounts, 'new' | 'known' | 'returned' | 'gone' | 'changed' | 'moved'>

/** Counts decisions as the response to an import and to a dry run shows them. `total` is the report's own number. */
export function countDecisions(decisions: GroupedDecisions, total: number): DecisionCounts {
  const isNew = decisions.new.length
  const returned = decisions.byPresence.reappeared.length
  return {
    new: isNew,
    known: total - isNew - returned,
    returned,
    gone: decisions.absent.length,
    changed: decisions.changed.length,
    moved: decisions.moved.length,
  }
}

/** Returns the first findings of each kind. */
export async function sampleDecisions({ db }: Deps, decisions: GroupedDecisions): Promise<ImportSamples> {
  const some = (ids: readonly number[]) => listSummaries(db, ids.slice(0, maxSamples))
  return {
    new: decisions.newSamples,
    returned: await some(decisions.byPresence.reappeared),
    gone: await some(decisions.absent),
    changed: await some(idsOf(decisions.changed)),
    moved: decisions.moved
      .slice(0, maxSamples)
      .map(({ reported, knownUuid, reason }) => ({ ...summaryOf(reported), uuid: knownUuid, reason })),
  }
}
