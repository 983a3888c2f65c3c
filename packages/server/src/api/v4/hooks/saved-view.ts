import type { Caller } from '../../../domain/access/callers.ts'
import type { Deps } from '../../../domain/deps.ts'
import type { ViewPlace } from '../../../domain/vulnerabilities/saved-views/saved-view.ts'
import { assertFiltersHooks } from '../../../domain/vulnerabilities/saved-views/saved-views.ts'
import type { RawParams } from '../../../http/params/raw-params.ts'
import { conditionsOf, kindOf } from '../saved-views/view-filters.ts'

/** Refuses a saved view that cannot filter a webhook of the place that the guard has resolved. */
export async function assertViewUsable(
  deps: Deps,
  context: { caller: Caller },
  viewId: number | null | undefined,
): Promise<void> {
  if (viewId === null || viewId === undefined) return
  const { caller } = context
  const place = context as ViewPlace // the guard provides what the permission's row promises
  await assertFiltersHooks(deps, place, {
    id: viewId,
    caller,
    // Stored as the client sent it.
    conditionsOf: (filter) => conditionsOf(kindOf(place), filter as RawParams, caller),
  })
}
