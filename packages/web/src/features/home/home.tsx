import { FolderGit2, Plus } from 'lucide-react'
import { useRef } from 'react'
import { Link, Redirect } from 'wouter'
import { LinkButton } from '../../components/button.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { useLinks } from '../../components/page/screens.tsx'
import { Empty, Loading, QueryResult } from '../../components/page/states.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { fromHome } from '../../data/own-address.ts'
import { mayWrite, type SessionState, useSession } from '../../data/session.ts'
import { FirstReport } from '../../nouns/project/first-report.tsx'
import { asProject } from '../../nouns/project/project.ts'
import { ProjectList } from '../../nouns/project/project-list.tsx'
import { NewSignInNotice } from '../account/new-sign-ins.tsx'
import { ApprovalNotice } from '../approvals/approval-notice.tsx'
import { Dashboard } from '../dashboard/dashboard.tsx'
import { Checklist } from './checklist.tsx'
import styles from './home.module.css'
import { texts } from './texts.ts'

/** Home page: the user's projects, most recently active first. Redirects to all projects without an account. */
export function Home() {
  const session = useSession()
  if (!session.user) return <Redirect to="/explore/projects" replace state={fromHome} />
  return <Mine session={session} user={session.user} />
}

const maxShown = 10

function Mine({ session, user }: { session: SessionState; user: NonNullable<SessionState['user']> }) {
  const latest = { order_by: 'last_activity_at', per_page: maxShown } as const
  const mine = usePage('GET /projects', { query: { ...latest, membership: true } })
  const starred = usePage('GET /projects', { query: { ...latest, starred: true } })
  const numbers = useApiQuery('GET /vulnerability_statistics', {})
  const work = useApiQuery('GET /security_dashboard', {})
  const shortcuts = useLinks('home', 'main')
  const mayMake = mayWrite(session) && user.can_create_project
  // All at once, because what arrives later would move what the user is looking at.
  // Once shown, the page stays: a part that failed loads again when it appears.
  const isShown = useRef(false)
  isShown.current ||= ![mine, starred, numbers, work].some(({ isPending }) => isPending)
  if (!isShown.current) return <Loading />
  return (
    <Page
      title={texts.welcomeBack(user.name)}
      actions={
        mayMake && (
          <LinkButton icon={Plus} kind="primary" to="/-/projects/new">
            {texts.newProject}
          </LinkButton>
        )
      }
    >
      <NewSignInNotice />
      <ApprovalNotice />
      <div className={styles.columns}>
        <div className="stack-wide">
          {mayMake && mine.data && <Checklist project={mine.data.rows.map(asProject)[0]?.path_with_namespace} />}
          <Dashboard />
          <section className="stack" aria-label={texts.yourProjects}>
            <div className="row">
              <h2>{texts.yourProjects}</h2>
              <Link to="/explore/projects?membership=true" className="push small">
                {texts.viewAll}
              </Link>
            </div>
            <QueryResult query={mine}>
              {({ rows }) =>
                rows.length === 0 ? (
                  <Empty icon={FolderGit2} title={texts.youHaveNoProjects}>
                    <p>{texts.projectsYouCreateOrJoin}</p>
                    <FirstReport createsIn={mayMake ? user.username : undefined} />
                    <LinkButton to="/explore/projects">{texts.browseProjects}</LinkButton>
                  </Empty>
                ) : (
                  <ProjectList projects={rows.map(asProject)} />
                )
              }
            </QueryResult>
          </section>
          {(starred.data?.rows.length ?? 0) > 0 && (
            <section className="stack" aria-label={texts.starred}>
              <div className="row">
                <h2>{texts.starred}</h2>
                <Link to="/explore/projects?starred=true" className="push small">
                  {texts.viewAllStarred}
                </Link>
              </div>
              <ProjectList projects={(starred.data?.rows ?? []).map(asProject)} />
            </section>
          )}
        </div>
        <Panel title={texts.shortcuts}>
          <ul className={styles.ways}>
            {shortcuts.map(({ to, label, shortcut }) => (
              <li key={to}>
                <Link to={to} className={styles.way}>
                  {shortcut && <shortcut.icon size={16} aria-hidden="true" />}
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </Panel>
      </div>
    </Page>
  )
}
