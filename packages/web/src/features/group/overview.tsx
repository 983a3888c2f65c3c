import { Plus } from 'lucide-react'
import { LinkButton } from '../../components/button.tsx'
import { CheckFilter } from '../../components/form/filters.tsx'
import { Markdown } from '../../components/markdown.tsx'
import { Page } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { usePage } from '../../data/api.ts'
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
  const subgroups = usePage('GET /groups/{id}/subgroups', {
    path: { id: group.id },
    query: { per_page: maxSubgroups },
  })
  const isWriter = useMayChange()
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
      <Projects />
    </Page>
  )
}

function Projects() {
  const { group } = useGroup()
  const [{ direct }, _set] = useSearchState(['direct'])
  const query = usePage('GET /groups/{id}/projects', {
    path: { id: group.id },
    query: { ...useProjectQuery(), include_subgroups: direct !== 'true' },
  })
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
