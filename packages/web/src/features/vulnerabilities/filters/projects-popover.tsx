import { Popover } from '@base-ui/react/popover'
import { useState } from 'react'
import { CheckField } from '../../../components/form/field.tsx'
import { SearchField } from '../../../components/form/search-field.tsx'
import { usePage } from '../../../data/api.ts'
import { levels, useSession } from '../../../data/session.ts'
import type { ManyOwner } from '../../../nouns/vulnerability/owner.ts'
import { texts } from '../texts.ts'
import styles from './filter-menu.module.css'
import type { Trigger } from './filter-props.ts'
import { useProjectNames } from './project-names.ts'

/** Maximum number of projects that are offered at once. Others are found by the search. */
const maxShown = 30

/** Popover with a search for projects. A chosen one filters the list at once. */
export function ProjectsPopover({
  trigger,
  owner,
  chosen,
  onToggle,
}: {
  trigger: Trigger
  owner: ManyOwner
  chosen: readonly number[]
  onToggle: (id: number) => void
}) {
  const [search, setSearch] = useState('')
  const [isOpen, setOpen] = useState(false)
  // Chosen projects stay in their places while the popover is open.
  const [first, setFirst] = useState(chosen)
  const { rows, isPending, hasMore } = useProjects(owner, search, isOpen)
  const names = useProjectNames(first)
  const isShown = (id: number) => search === '' || rows.some((row) => row.id === id)
  const choices = [
    ...first.filter(isShown).map((id) => ({ id, path: names.get(id) ?? texts.projectId(id) })),
    ...rows.filter(({ id }) => !first.includes(id)),
  ]
  return (
    <Popover.Root
      open={isOpen}
      onOpenChange={(opens) => {
        setOpen(opens)
        setFirst(chosen)
        setSearch('')
      }}
    >
      <Popover.Trigger {...trigger} />
      <Popover.Portal container={document.getElementById('main')}>
        <Popover.Positioner className="popup-positioner" sideOffset={4} align="start">
          <Popover.Popup className={`popup ${styles.popup}`} aria-label={texts.projects}>
            <div className={styles.form}>
              <SearchField label={texts.searchProjects} value={search} onSearch={setSearch} />
              <fieldset className="stack-tight" aria-busy={isPending}>
                <legend className="visually-hidden">{texts.projects}</legend>
                {choices.map(({ id, path }) => (
                  <CheckField
                    key={id}
                    label={<span className={styles.name}>{path}</span>}
                    checked={chosen.includes(id)}
                    onChange={() => onToggle(id)}
                  />
                ))}
              </fieldset>
              <p className="muted small" role="status">
                {!isPending && choices.length === 0 && texts.noMatchingProjects}
                {hasMore && texts.showsTheFirstProjects(maxShown)}
              </p>
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

/** Searches the projects of the list whose vulnerabilities the user may read. */
function useProjects(owner: ManyOwner, search: string, isEnabled: boolean) {
  const { is_admin: isAdmin } = useSession()
  const groupId = owner.kind === 'group' ? owner.id : owner.scope.group_id
  const isGroup = groupId !== undefined
  const query = {
    search: search || undefined,
    // An administrator reads the projects in which they have no role.
    min_access_level: isAdmin ? undefined : levels.developer,
    order_by: 'last_activity_at',
    per_page: maxShown,
  } as const
  const ofGroup = usePage(
    'GET /groups/{id}/projects',
    { path: { id: groupId ?? 0 }, query: { ...query, include_subgroups: true } },
    { isEnabled: isEnabled && isGroup },
  )
  const ofInstance = usePage(
    'GET /projects',
    { query: { ...query, search_namespaces: true } },
    { isEnabled: isEnabled && !isGroup },
  )
  const { data, isPending } = isGroup ? ofGroup : ofInstance
  return {
    isPending,
    hasMore: data?.hasNext === true,
    // The schema of a project has no required fields, but these two are always present.
    rows: (data?.rows ?? []).map(({ id = 0, path_with_namespace: path = '' }) => ({ id, path })),
  }
}
