import { Plus } from 'lucide-react'
import { type ComponentProps, useRef } from 'react'
import { LinkButton } from '../../components/button.tsx'
import { CheckFilter } from '../../components/form/filters.tsx'
import { Markdown } from '../../components/markdown.tsx'
import { Page } from '../../components/page/page.tsx'
import { Loading, QueryResult } from '../../components/page/states.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { levels, useMayChange, useSession } from '../../data/session.ts'
import { useGroup } from '../../nouns/group/group.ts'
import { GroupList } from '../../nouns/group/group-list.tsx'
import { FoundProjects, ProjectSearch, useProjectQuery } from '../../nouns/project/project-search.tsx'
import { Dashboard } from '../dashboard/dashboard.tsx'
import { texts } from './texts.ts'

const maxSubgroups = 50

/** Contents of a group: its subgroups, then its projects. */
export function GroupOverview() {
  const { group, level, to } = useGroup()
  const session = useSession()
  const path = { id: group.id }
  const subgroups = usePage('GET /groups/{id}/subgroups', {
    path,
    query: { per_page: maxSubgroups },
  })
  const [{ direct }] = useSearchState(['direct'])
  const projects = usePage('GET /groups/{id}/projects', {
    path,
    query: { ...useProjectQuery(), include_subgroups: direct !== 'true' },
  })
  const isWriter = useMayChange()
  const isEnabled = session.user !== null
  const numbers = useApiQuery('GET /groups/{id}/vulnerability_statistics', { path }, { isEnabled })
  const work = useApiQuery('GET /groups/{id}/security_dashboard', { path }, { isEnabled })
  // All at once, because what arrives later would move the parts below it.
  const isShown = useRef(false)
  isShown.current ||= ![subgroups, numbers, work].some(({ isLoading }) => isLoading)
  if (!isShown.current) return <Loading />
  return (
    <Page
      title={texts.overview}
      lead={group.description && <Markdown text={group.description} />}
      actions={
        isWriter &&
        level >= levels.developer && (
          <>
            {level >= levels.maintainer && (
              <LinkButton icon={Plus} to={`/-/groups/new?parent=${group.id}`}>
                {texts.newSubgroup}
              </LinkButton>
            )}
            <LinkButton icon={Plus} kind="primary" to={`/-/projects/new?namespace=${group.id}`}>
              {texts.newProject}
            </LinkButton>
          </>
        )
      }
    >
      {session.user && <Dashboard group={{ groupId: group.id, to }} />}
      <QueryResult query={subgroups}>
        {({ rows }) =>
          rows.length > 0 && (
            <section className="stack-tight" aria-label={texts.subgroups}>
              <h2>{texts.subgroups}</h2>
              <GroupList groups={rows} label={texts.subgroups} />
            </section>
          )
        }
      </QueryResult>
      <Projects query={projects} />
    </Page>
  )
}

function Projects({ query }: Pick<ComponentProps<typeof FoundProjects>, 'query'>) {
  return (
    <section className="stack" aria-label={texts.projects}>
      <h2>{texts.projects}</h2>
      <ProjectSearch label={texts.searchProjectsInThisGroup}>
        <CheckFilter name="direct" label={texts.excludeSubgroups} />
      </ProjectSearch>
      <FoundProjects query={query}>
        <p>{texts.thisGroupHasNo}</p>
      </FoundProjects>
    </section>
  )
}
