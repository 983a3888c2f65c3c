import { type StateConflict, stateChanged } from '../../../platform/failure.ts'
import type { Deps } from '../../deps.ts'
import type { State } from '../../findings/scales.ts'
import type { Vulnerability } from '../vulnerability.ts'
import { listTransitions } from './history/history-queries.ts'

/** States that the client has shown to the user, by vulnerability id. */
export type ExpectedStates = ReadonlyMap<number, State>

/** Maximum number of conflicts that an error describes; it counts all of them. */
const maxDescribed = 20

/**
 * Throws if a vulnerability is in another state than the client has shown, so that a user does not unknowingly
 * overwrite another decision. The transaction must have locked the vulnerabilities, so that the states cannot change
 * before the write.
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
