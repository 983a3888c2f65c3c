import { type StateConflict, stateChanged } from '../../../platform/failure.ts'
import type { Deps } from '../../deps.ts'
import type { Vulnerability } from '../finding.ts'
import type { State } from '../scales.ts'
import { listTransitions } from './history-queries.ts'

/** The states that the client has shown to its user, by the ids of their vulnerabilities. */
export type ExpectedStates = ReadonlyMap<number, State>

/** Maximum number of conflicts that an error describes; it counts all of them. */
const maxDescribed = 20

/**
 * Throws when a vulnerability is in another state than the client has shown, so that a decision is not overwritten
 * unseen. The transaction must hold a lock on `locked`: the states cannot change between this check and the write.
 */
export async function assertExpectedStates(
  deps: Deps,
  locked: readonly Vulnerability[],
  expected: ExpectedStates,
): Promise<void> {
  const differing = locked.filter(({ id, state }) => expected.has(id) && expected.get(id) !== state)
  if (differing.length === 0) return
  const described = differing.slice(0, maxDescribed)
  const transitions = await listTransitions(
    deps.db,
    described.map(({ id }) => id),
    1,
  )
  const newest = new Map(transitions.map((entry) => [entry.vulnerabilityId, entry]))
  const conflicts = described.map(({ id, state }): StateConflict => {
    const change = newest.get(id)
    return {
      id,
      expectedState: expected.get(id) ?? state,
      state,
      changedBy: change?.author ?? null,
      changedAt: change?.createdAt ?? null,
    }
  })
  throw stateChanged(conflicts, differing.length)
}
