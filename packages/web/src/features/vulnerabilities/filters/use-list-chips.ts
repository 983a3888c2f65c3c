import type { QueryOf } from '@alcove/client'
import { useApiQuery } from '../../../data/api.ts'
import type { Chip, FilterState } from '../../../nouns/vulnerability/filter-state.ts'
import { type Owner, scopeOf } from '../../../nouns/vulnerability/owner.ts'
import { useFilterChips } from './filter-chips.ts'

/** Returns the active filters, those by projects first, and the totals and options of all filters. */
export function useListChips(owner: Owner, state: FilterState, ofProjects: readonly Chip[] = []) {
  const summary = useSummary(owner)
  const chips = useFilterChips(state, summary.data?.scanners ?? [])
  return { summary: summary.data, chips: [...ofProjects, ...chips] }
}

/** Reads the totals and filter options of all vulnerabilities of the owner. */
function useSummary(owner: Owner) {
  const query: QueryOf<'GET /vulnerabilities/summary'> = scopeOf(owner)
  const ofInstance = useApiQuery('GET /vulnerabilities/summary', { query }, { isEnabled: owner.kind === 'instance' })
  const ofPlace = useApiQuery(
    owner.kind === 'project'
      ? 'GET /projects/{id}/vulnerabilities/summary'
      : 'GET /groups/{id}/vulnerabilities/summary',
    { path: { id: owner.kind === 'instance' ? 0 : owner.id }, query },
    { isEnabled: owner.kind !== 'instance' },
  )
  return owner.kind === 'instance' ? ofInstance : ofPlace
}
