import { useState } from 'react'
import suggest from '../../components/form/suggest.module.css'
import { SuggestManyField } from '../../components/form/suggest-field.tsx'
import { useDebounced } from '../../components/form/use-debounced.ts'
import { useApiQueries, usePage } from '../../data/api.ts'
import { useHookPlace } from './place.ts'
import { texts } from './texts.ts'

interface FoundProject {
  id: number
  path_with_namespace: string
}

const withId = (project: FoundProject): [number, FoundProject] => [project.id, project]

/** The schema of a project has no required fields, but these two are always present. */
const foundFrom = ({
  id = 0,
  path_with_namespace = '',
}: { [Name in keyof FoundProject]?: FoundProject[Name] | undefined }) => ({
  id,
  path_with_namespace,
})

/** Combobox of the projects whose events are sent. Their IDs are the form's `project_ids`. */
export function ProjectsField({ chosen: initial }: { chosen: readonly number[] }) {
  const [chosen, setChosen] = useState<readonly number[]>(initial)
  const [found, setFound] = useState<ReadonlyMap<number, FoundProject>>(new Map())
  const stored = useApiQueries(
    'GET /projects/{id}',
    initial.map((id) => ({ path: { id } })),
  )
  const [text, setText] = useState('')
  const query = useProjects(useDebounced(text.trim()))
  const items: FoundProject[] = text.trim() === '' ? [] : (query.data?.rows ?? []).map(foundFrom)
  const known = new Map([...stored.map(foundFrom).map(withId), ...found])
  const isEmpty = text.trim() !== '' && query.isSuccess && items.length === 0
  return (
    <div>
      <SuggestManyField<FoundProject>
        label={texts.projects}
        name="project_ids"
        hint={texts.onlyEventsOfThese}
        placeholder={texts.searchProjects}
        items={items}
        keyOf={({ id }) => String(id)}
        nameOf={({ path_with_namespace: path }) => path}
        removalOf={({ path_with_namespace: path }) => texts.remove(path)}
        value={chosen.map((id) => known.get(id) ?? { id, path_with_namespace: texts.project(id) })}
        onChange={(projects) => {
          setChosen(projects.map(({ id }) => id))
          setFound(new Map([...found, ...projects.map(withId)]))
        }}
        text={text}
        onText={setText}
        takesFirst
        status={query.error ? query.error.message : isEmpty ? texts.noMatchingProjects : ''}
      >
        {({ path_with_namespace: path }) => <span className={suggest.words}>{path}</span>}
      </SuggestManyField>
      {chosen.map((id) => (
        <input key={id} type="hidden" name="project_ids" value={id} />
      ))}
    </div>
  )
}

/** Searches the projects of the group, or of the instance. */
function useProjects(search: string) {
  const { noun, id } = useHookPlace()
  const isGroup = noun === 'group'
  const query = { search, per_page: 8 }
  const ofGroup = usePage(
    'GET /groups/{id}/projects',
    { path: { id }, query: { ...query, include_subgroups: true } },
    { isEnabled: isGroup && search !== '' },
  )
  const ofInstance = usePage(
    'GET /projects',
    { query: { ...query, search_namespaces: true } },
    { isEnabled: !isGroup && search !== '' },
  )
  return isGroup ? ofGroup : ofInstance
}
