import type { VulnerabilityRow } from '../../../nouns/vulnerability/owner.ts'
import { type ShownState, useShownStates } from '../triage/triage-queue.ts'
import type { PagedRows } from './paged-rows.ts'

/** The rows with the states that queued actions give them. */
export function useRowsAsShown(rows: PagedRows<VulnerabilityRow>): PagedRows<VulnerabilityRow> {
  const states = useShownStates()
  if (states.size === 0) return rows
  return {
    ...rows,
    rowAt: (index) => {
      const row = rows.rowAt(index)
      return row && asShown(row, states)
    },
    newestOf: (wanted) => rows.newestOf(wanted).map((row) => asShown(row, states)),
  }
}

const merged = new WeakMap<VulnerabilityRow, { shown: ShownState; row: VulnerabilityRow }>()

/** The same object for the same state, so that rows that have not changed are not rendered again. */
function asShown(row: VulnerabilityRow, states: ReadonlyMap<number, ShownState>): VulnerabilityRow {
  const shown = states.get(row.id)
  if (!shown) return row
  const known = merged.get(row)
  if (known?.shown === shown) return known.row
  const made = { ...row, ...shown }
  merged.set(row, { shown, row: made })
  return made
}
