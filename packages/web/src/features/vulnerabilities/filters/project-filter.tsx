import type { ReactNode } from 'react'
import { lazyComponent, nothingYet } from '../../../components/lazy-component.tsx'
import { useSearchState } from '../../../data/search-state.ts'
import { type Chip, projectIdsIn } from '../../../nouns/vulnerability/filter-state.ts'
import type { ManyOwner } from '../../../nouns/vulnerability/owner.ts'
import { texts } from '../texts.ts'
import { useLazyMenu } from './filter-button.tsx'
import { useProjectNames } from './project-names.ts'

const ProjectsPopover = lazyComponent(async () => (await import('./projects-popover.tsx')).ProjectsPopover, nothingYet)

/** Filter by projects, which only lists of many have. */
export interface ProjectsFilter {
  filter: ReactNode
  chips: readonly Chip[]
}

/** Returns the button that selects projects of a list of many, and a chip for each. They are part of the address. */
export function useProjectFilter(owner: ManyOwner): ProjectsFilter {
  const [{ project_id: value }] = useSearchState(['project_id'])
  const ids = projectIdsIn(value)
  const names = useProjectNames(ids)
  return {
    filter: <ProjectFilter owner={owner} />,
    chips: ids.map((id) => ({
      label: texts.projectNamed(names.get(id) ?? texts.projectId(id)),
      without: { project_id: ids.filter((other) => other !== id).join() },
    })),
  }
}

function ProjectFilter({ owner }: { owner: ManyOwner }) {
  const [{ project_id: value }, set] = useSearchState(['project_id'])
  const chosen = projectIdsIn(value)
  const { trigger, button } = useLazyMenu(ProjectsPopover.preload, texts.project, chosen.length)
  const toggle = (id: number) =>
    set({ project_id: (chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id]).join() })
  return button ?? <ProjectsPopover trigger={trigger} owner={owner} chosen={chosen} onToggle={toggle} />
}
