import { Suspense, useEffect } from 'react'
import { Redirect, useLocation } from 'wouter'
import { Badge } from '../../components/badge.tsx'
import { lazyComponent } from '../../components/later.ts'
import { NotForYou, NotFound } from '../../components/page/not-found.tsx'
import { type Crumb, PlaceName } from '../../components/page/page.tsx'
import { groupsIn, PlaceHeading } from '../../components/page/place-heading.tsx'
import { Failed, Loading, QueryResult } from '../../components/page/states.tsx'
import { type Tab, Tabs } from '../../components/page/tabs.tsx'
import { isFailure, useApiQuery } from '../../data/api.ts'
import { levelIn, levels, mayWrite, ReadOnlyContext, type SessionState, useSession } from '../../data/session.ts'
import { useWaitingFindings } from '../../nouns/finding/waiting.ts'
import { asProject, type Project, ProjectContext, type ProjectScreen, useProject } from '../../nouns/project/project.ts'
import { ArchivedNotice } from './archived-notice.tsx'
import { Overview } from './overview.tsx'
import { StarButton } from './star-button.tsx'

const ProjectMembers = lazyComponent(async () => (await import('./members.tsx')).ProjectMembers)
const ProjectSettings = lazyComponent(async () => (await import('./settings/project-settings.tsx')).ProjectSettings)
const ProjectVulnerabilities = lazyComponent(
  async () => (await import('../vulnerabilities/project-vulnerabilities.tsx')).ProjectVulnerabilities,
)
const ProjectTrends = lazyComponent(
  async () => (await import('../vulnerabilities/project-vulnerabilities.tsx')).ProjectTrends,
)
const Findings = lazyComponent(async () => (await import('../vulnerabilities/findings.tsx')).Findings)
const VulnerabilityPage = lazyComponent(
  async () => (await import('../vulnerability/vulnerability-page.tsx')).VulnerabilityPage,
)
const Reports = lazyComponent(async () => (await import('../reports/reports.tsx')).Reports)
const ReportPage = lazyComponent(async () => (await import('../reports/report-page.tsx')).ReportPage)
const NewReport = lazyComponent(async () => (await import('../reports/new-report.tsx')).NewReport)
const FindingPage = lazyComponent(async () => (await import('../finding/finding-page.tsx')).FindingPage)
const ProjectUploads = lazyComponent(async () => (await import('../uploads/project-uploads.tsx')).ProjectUploads)

/** A project: its heading, its tabs, and the screen that `part` names. A former path redirects to the current one. */
export function ProjectPage({ place, part }: { place: string; part: string }) {
  const session = useSession()
  const [, navigate] = useLocation()
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
        const project = asProject(view)
        const screen: ProjectScreen = {
          project,
          level: levelIn(project, session),
          to: (part) => `/${project.path_with_namespace}${part && `/-/${part}`}`,
        }
        return (
          <ProjectContext value={screen}>
            <PlaceName value={project.name}>
              <div className="stack">
                <PlaceHeading
                  name={project.name}
                  above={aboveOf(project)}
                  avatarUrl={project.avatar_url}
                  visibility={project.visibility}
                  marks={project.archived && <Badge>Archived</Badge>}
                  actions={<StarButton project={project} />}
                />
                <Tabs label={`${project.name}: sections`} tabs={tabsFor(screen, session, waiting)} />
                {project.archived && <ArchivedNotice />}
                <ReadOnlyContext value={project.archived === true}>
                  <Suspense fallback={<Loading />}>
                    <Screen part={part} />
                  </Suspense>
                </ReadOnlyContext>
              </div>
            </PlaceName>
          </ProjectContext>
        )
      }}
    </QueryResult>
  )
}

/** Redirects a path without a project to the group at that path. Shows the error of the project if there is none. */
function ToGroup({ place, error }: { place: string; error: Error | null }) {
  const group = useApiQuery('GET /groups/{id}', { path: { id: place }, query: { with_projects: false } })
  if (group.data) return <Redirect to={`/groups/${group.data.full_path}${location.search}`} replace />
  return group.error && error ? <Failed error={error} isPage /> : <Loading />
}

/** Returns the parent groups of a project, or the owner of a personal project. */
function aboveOf({ namespace }: Project): readonly Crumb[] {
  if (namespace.kind === 'user') return [{ label: namespace.path, to: `/${namespace.path}` }]
  return groupsIn(namespace.full_path)
}

/** Returns the tabs that the user may open; `from` is the minimum access level. */
function tabsFor({ project, level, to }: ProjectScreen, session: SessionState, waiting: string | undefined): Tab[] {
  const tabs: (Tab & { from: number })[] = [
    { label: 'Overview', to: to(''), isExact: true, from: 0 },
    { label: 'Vulnerabilities', to: to('vulnerabilities'), from: levels.developer },
    { label: 'Findings', to: to('findings'), count: waiting, from: levels.developer },
    { label: 'Reports', to: to('reports'), from: levels.developer },
    { label: 'Uploads', to: to('uploads'), from: mayWrite(session) && !project.archived ? 0 : levels.maintainer },
    ...(session.user ? [{ label: 'Members', to: to('members'), from: 0 }] : []),
    { label: 'Settings', to: to('settings'), from: levels.maintainer },
  ]
  return tabs.filter(({ from }) => level >= from || level >= levels.owner)
}

const forDevelopers = ['vulnerabilities', 'findings', 'reports']

function Screen({ part }: { part: string }) {
  const [first = '', second] = part.split('/')
  const { level } = useProject()
  const { user } = useSession()
  if (forDevelopers.includes(first) && level < levels.developer) return <NotForYou />
  switch (first) {
    case '':
      return <Overview />
    case 'vulnerabilities':
      if (second === 'trends') return <ProjectTrends />
      return second ? <VulnerabilityPage key={second} id={second} /> : <ProjectVulnerabilities />
    case 'findings':
      return second ? <FindingPage key={second} id={second} /> : <Findings />
    case 'reports':
      if (second === 'new') return <NewReport />
      return second ? <ReportPage key={second} id={second} /> : <Reports />
    case 'uploads':
      return <ProjectUploads part={second} />
    case 'members':
      return user ? <ProjectMembers /> : <NotForYou />
    case 'settings':
      return level >= levels.maintainer ? <ProjectSettings part={part} /> : <NotForYou />
    default:
      return <NotFound />
  }
}
