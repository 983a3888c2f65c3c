import { useMemo } from 'react'
import { type Chip, chipsOf, type FilterState } from '../../../nouns/vulnerability/filter.ts'

/** Scanners by the names that people know them by. */
export function useFilterChips(
  state: FilterState,
  scanners: readonly { external_id: string; name: string }[],
): readonly Chip[] {
  return useMemo(
    () => chipsOf(state, (id) => scanners.find(({ external_id: externalId }) => externalId === id)?.name ?? id),
    [state, scanners],
  )
}
