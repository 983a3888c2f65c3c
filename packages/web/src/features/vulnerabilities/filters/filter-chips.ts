import { useMemo } from 'react'
import { useSearchState } from '../../../data/search-state.ts'
import { type Chip, chipsOf, type FilterState, projectIdsIn } from '../../../nouns/vulnerability/filter-state.ts'
import type { Owner } from '../../../nouns/vulnerability/owner.ts'
import { texts } from '../texts.ts'
import { useProjectNames } from './project-names.ts'

/** Returns the chips of a filter, with names of scanners and projects instead of ids. */
export function useFilterChips(
  { kind }: Owner,
  state: FilterState,
  scanners: readonly { external_id: string; name: string }[],
): readonly Chip[] {
  const [{ project_id: value }] = useSearchState(['project_id'])
  const ids = kind === 'project' ? none : projectIdsIn(value)
  const names = useProjectNames(ids)
  const ofFilter = useMemo(
    () => chipsOf(state, (id) => scanners.find(({ external_id: externalId }) => externalId === id)?.name ?? id),
    [state, scanners],
  )
  const ofProjects = ids.map((id) => ({
    label: texts.projectNamed(names.get(id) ?? texts.projectId(id)),
    without: { project_id: ids.filter((other) => other !== id).join() },
  }))
  return [...ofProjects, ...ofFilter]
}

const none: readonly number[] = []
