import { lazyComponent, nothingYet } from '../../../components/lazy-component.tsx'
import { useSearchState } from '../../../data/search-state.ts'
import { projectIdsIn } from '../../../nouns/vulnerability/filter-state.ts'
import type { Owner } from '../../../nouns/vulnerability/owner.ts'
import { texts } from '../texts.ts'
import { useLazyMenu } from './filter-button.tsx'

const ProjectsPopover = lazyComponent(async () => (await import('./projects-popover.tsx')).ProjectsPopover, nothingYet)

/** Button that selects projects of a list of many. They are part of the address. */
export function ProjectFilter({ owner }: { owner: Exclude<Owner, { kind: 'project' }> }) {
  const [{ project_id: value }, set] = useSearchState(['project_id'])
  const chosen = projectIdsIn(value)
  const { trigger, button } = useLazyMenu(ProjectsPopover.preload, texts.project, chosen.length)
  const toggle = (id: number) =>
    set({ project_id: (chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id]).join() })
  return button ?? <ProjectsPopover trigger={trigger} owner={owner} chosen={chosen} onToggle={toggle} />
}
