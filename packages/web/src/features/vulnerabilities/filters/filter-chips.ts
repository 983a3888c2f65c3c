import { useMemo } from 'react'
import { type Chip, chipsOf, type FilterState } from '../../../nouns/vulnerability/filter-state.ts'

/** Returns the chips of a filter, with scanner names instead of ids. */
export function useFilterChips(
  state: FilterState,
  scanners: readonly { external_id: string; name: string }[],
): readonly Chip[] {
  return useMemo(
    () => chipsOf(state, (id) => scanners.find(({ external_id: externalId }) => externalId === id)?.name ?? id),
    [state, scanners],
  )
}
