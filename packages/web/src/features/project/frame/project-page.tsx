import { useEffect, useState } from 'react'
import { Redirect, useLocation } from 'wouter'
import { Badge } from '../../../components/badge.tsx'
import { type Crumb, TrailContext } from '../../../components/page/breadcrumbs.tsx'
import { PlaceName } from '../../../components/page/page.tsx'
import { groupsIn, PlaceHeading } from '../../../components/page/place-heading.tsx'
import type { Params } from '../../../components/page/screen-table.ts'
import { Screens, useLinks } from '../../../components/page/screens.tsx'
import { Failed, Loading, QueryResult } from '../../../components/page/states.tsx'
import { Tabs } from '../../../components/page/tabs.tsx'
import { isFailure, useApiQuery } from '../../../data/api.ts'
import { LimitsContext, levelIn, levels, useSession } from '../../../data/session.ts'
import { useWaitingFindings } from '../../../nouns/finding/triage-backlog.ts'
import { MirrorNotice } from '../../../nouns/mirror/lazy-notice.ts'
import { limitsOf } from '../../../nouns/mirror/limits.ts'
import { type Project, ProjectContext, type ProjectScreen } from '../../../nouns/project/project.ts'
import { projectScreen } from '../../../nouns/project/project-scope.tsx'
import { ArchivedNotice } from './archived-notice.tsx'
import { StarButton } from './star-button.tsx'
import { texts } from './texts.ts'

/** A project: its heading, its tabs, and the screen that `part` names. A former path redirects to the current one. */
export function ProjectPage({ place = '', part = '' }: Params) {
  const session = useSession()
  const [, navigate] = useLocation()
  const [trail, setTrail] = useState<HTMLElement | null>(null)
  const query = useApiQuery('GET /projects/{id}', { path: { id: place } })
  const here = query.data?.path_with_namespace
  const mayLook = query.data !== undefined && levelIn(query.data, session) >= levels.developer
  const waiting = useWaitingFindings(mayLook ? query.data?.id : undefined)
  useEffect(() => {
    if (here && here !== place) navigate(`/${here}${part && `/-/${part}`}${location.search}`, { replace: true })
  }, [here, place, part, navigate])
  if (part === '' && isFailure(query.error, 404)) return <ToGroup place={place} error={query.error} />
  return (
    <QueryResult query={query} isPage>
      {(view) => {
        const screen = projectScreen(view, session)
        const { project } = screen
        return (
          <ProjectContext value={screen}>
            <PlaceName value={project.name}>
              <div className="stack">
                <PlaceHeading
                  name={project.name}
                  trail={setTrail}
                  avatarUrl={project.avatar_url}
                  visibility={project.visibility}
                  marks={
                    <>
                      {project.archived && <Badge>{texts.archived}</Badge>}
                      {project.mirrored_from && <Badge>{texts.mirror}</Badge>}
                    </>
                  }
                  actions={<StarButton project={project} />}
                />
                <ProjectTabs screen={screen} waiting={waiting} />
                {project.archived && <ArchivedNotice />}
                {project.mirrored_from && <MirrorNotice kind="project" place={project} level={screen.level} />}
                <LimitsContext value={limitsOf(project)}>
                  <TrailContext value={{ parents: aboveOf(project), element: trail }}>
                    <Screens area="project" location={`/${part}`} place={screen} />
                  </TrailContext>
                </LimitsContext>
              </div>
            </PlaceName>
          </ProjectContext>
        )
      }}
    </QueryResult>
  )
}

function ProjectTabs({ screen, waiting }: { screen: ProjectScreen; waiting: string | undefined }) {
  const tabs = useLinks('tabs', 'project', screen)
  const inbox = screen.to('vulnerabilities')
  return (
    <Tabs
      label={texts.sections(screen.project.name)}
      tabs={tabs.map((tab) => (tab.to === inbox ? { ...tab, count: waiting } : tab))}
    />
  )
}

/** Redirects a path without a project to the group at that path. Shows the error of the project if there is none. */
function ToGroup({ place, error }: { place: string; error: Error | null }) {
  const group = useApiQuery('GET /groups/{id}', { path: { id: place }, query: { with_projects: false } })
  if (group.data) return <Redirect to={`/groups/${group.data.full_path}${location.search}`} replace />
  return group.error && error ? <Failed error={error} isPage /> : <Loading />
}

/** Returns the project below its groups or the owner of a personal project. */
function aboveOf({
  name,
  name_with_namespace: fullName = '',
  namespace,
  path_with_namespace: path,
}: Project): readonly Crumb[] {
  const above =
    namespace.kind === 'user'
      ? [{ label: namespace.path, to: `/${namespace.path}` }]
      : groupsIn(namespace.full_path, fullName)
  return [...above, { label: name, to: `/${path}` }]
}
