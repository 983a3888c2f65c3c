import { store } from '../../../data/store.ts'
import type { VulnerabilityRow } from '../../../nouns/vulnerability/owner.ts'
import { type OptimisticState, useOptimisticStates } from '../triage/triage-queue.ts'
import { mapRows, type PagedRows } from './paged-rows.ts'

/** Returns the rows with the states of queued actions applied. */
export function useOptimisticRows(rows: PagedRows<VulnerabilityRow>): PagedRows<VulnerabilityRow> {
  const states = useOptimisticStates()
  return states.size === 0 ? rows : mapRows(rows, (row) => withState(row, states))
}

const merged = store.slot(() => new WeakMap<VulnerabilityRow, { shown: OptimisticState; row: VulnerabilityRow }>())

/** Applies a state to a row. Caches the result, so that unchanged rows are not rendered again. */
function withState(row: VulnerabilityRow, states: ReadonlyMap<number, OptimisticState>): VulnerabilityRow {
  const shown = states.get(row.id)
  if (!shown) return row
  const known = merged.get().get(row)
  if (known?.shown === shown) return known.row
  const updated = { ...row, ...shown }
  merged.get().set(row, { shown, row: updated })
  return updated
}
