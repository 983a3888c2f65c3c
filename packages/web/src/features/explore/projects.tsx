import { Plus } from 'lucide-react'
import { LinkButton } from '../../components/button.tsx'
import { CheckFilter, ChoiceFilter, useChoice } from '../../components/form/filters.tsx'
import { Page } from '../../components/page/page.tsx'
import { usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import { FoundProjects, ProjectSearch, useProjectQuery } from '../../nouns/project/project-search.tsx'
import { texts } from './texts.ts'
import { TopicFilter } from './topic-filter.tsx'

const kinds = [
  { value: '', label: texts.anyVisibility },
  { value: 'public', label: texts.public },
  { value: 'internal', label: texts.internal },
  { value: 'private', label: texts.private },
  { value: 'archived', label: texts.archived },
] as const

/** List of the projects that the user may see. */
export function Projects() {
  const session = useSession()
  const [state, set] = useSearchState(['membership', 'starred', 'visibility', 'topic'])
  const kind = useChoice('visibility', kinds)
  const topics = state.topic?.split(',') ?? []
  const isFiltered = Object.keys(state).length > 0
  const query = usePage('GET /projects', {
    query: {
      ...useProjectQuery(),
      search_namespaces: true,
      membership: state.membership === 'true' || undefined,
      starred: state.starred === 'true' || undefined,
      ...(kind === 'archived' ? { archived: true } : { visibility: kind || undefined }),
      ...(topics.length > 0 && { topic: topics }),
    },
  })
  return (
    <Page
      title={state.membership === 'true' ? texts.yourProjects : texts.projects}
      actions={
        mayWrite(session) &&
        session.user?.can_create_project && (
          <LinkButton icon={Plus} kind="primary" to="/-/projects/new">
            {texts.newProject}
          </LinkButton>
        )
      }
    >
      <ProjectSearch>
        {session.user && (
          <>
            <CheckFilter name="membership" label={texts.mine} />
            <CheckFilter name="starred" label={texts.starred} />
          </>
        )}
        <TopicFilter chosen={topics} onChoose={(names) => set({ topic: names.join(',') || undefined })} />
        <ChoiceFilter
          name="visibility"
          label={texts.visibility}
          choices={session.user ? kinds : kinds.filter(({ value }) => value === '' || value === 'archived')}
        />
      </ProjectSearch>
      <FoundProjects query={query}>
        <p>{isFiltered ? texts.noProjectsMatchThese : texts.noProjectsAreAvailable}</p>
      </FoundProjects>
    </Page>
  )
}
