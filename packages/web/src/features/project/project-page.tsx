import { Suspense, useEffect } from 'react'
import { useLocation } from 'wouter'
import { useAnswer } from '../../app/api.ts'
import { later } from '../../app/later.ts'
import { NotFound } from '../../app/not-found.tsx'
import { levelIn, levels, type SessionState, useSession } from '../../app/session.ts'
import { Avatar } from '../../components/avatar.tsx'
import { Badge } from '../../components/badge.tsx'
import { Answered, Loading } from '../../components/states.tsx'
import { type Tab, Tabs } from '../../components/tabs.tsx'
import { VisibilityMark } from '../explore/project-list.tsx'
import { Overview } from './overview.tsx'
import { asProject, ProjectContext, type ProjectScreen } from './project.ts'
import styles from './project-page.module.css'

const ProjectVulnerabilities = later(
  async () => (await import('../vulnerabilities/project-vulnerabilities.tsx')).ProjectVulnerabilities,
)
const VulnerabilityPage = later(async () => (await import('../vulnerability/vulnerability-page.tsx')).VulnerabilityPage)
const FindingPage = later(async () => (await import('../finding/finding-page.tsx')).FindingPage)

/** A project: its name, its tabs, and the screen that `part` names. An old path leads to the new one. */
export function ProjectPage({ place, part }: { place: string; part: string }) {
  const session = useSession()
  const [path, navigate] = useLocation()
  const query = useAnswer('GET /projects/{id}', { path: { id: place } })
  const here = query.data?.path_with_namespace
  useEffect(() => {
    if (here && here !== place) navigate(path.replace(`/${place}`, `/${here}`), { replace: true })
  }, [here, place, path, navigate])
  return (
    <Answered query={query} isPage>
      {(told) => {
        const project = asProject(told)
        const screen: ProjectScreen = {
          project,
          level: levelIn(project, session),
          to: (part) => `/${project.path_with_namespace}${part && `/-/${part}`}`,
        }
        return (
          <ProjectContext value={screen}>
            <div className="stack">
              <Heading screen={screen} />
              <Tabs label={`${project.name}: parts`} tabs={tabsFor(screen, session)} />
              <Suspense fallback={<Loading />}>
                <Screen part={part} />
              </Suspense>
            </div>
          </ProjectContext>
        )
      }}
    </Answered>
  )
}

function Heading({ screen: { project } }: { screen: ProjectScreen }) {
  return (
    <header className="row">
      <Avatar name={project.name} url={project.avatar_url} />
      <div className={styles.names}>
        <p className="muted small">{project.namespace.full_path}</p>
        <div className="row-wrap">
          <p className={styles.name}>{project.name}</p>
          <VisibilityMark visibility={project.visibility} />
          {project.archived && <Badge>Archived</Badge>}
        </div>
      </div>
    </header>
  )
}

/** Only what the caller may open. */
function tabsFor({ level, to }: ProjectScreen, _session: SessionState): Tab[] {
  const tabs: (Tab & { from: number })[] = [
    { label: 'Overview', to: to(''), isExact: true, from: 0 },
    { label: 'Vulnerabilities', to: to('vulnerabilities'), from: levels.developer },
  ]
  return tabs.filter(({ from }) => level >= from || level >= levels.owner)
}

function Screen({ part }: { part: string }) {
  const [first = '', second] = part.split('/')
  switch (first) {
    case '':
      return <Overview />
    case 'vulnerabilities':
      return second ? <VulnerabilityPage key={second} id={second} /> : <ProjectVulnerabilities />
    case 'findings':
      return second ? <FindingPage key={second} id={second} /> : <NotFound />
    default:
      return <NotFound />
  }
}
