import { Link } from 'wouter'
import { LinkButton } from '../../components/button.tsx'
import { Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { useApiQuery } from '../../data/api.ts'
import { useLiveUpdates } from '../../data/live-updates.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import { waitingInWords } from '../../nouns/finding/triage-backlog.ts'
import { awaitingQuery } from '../../nouns/vulnerability/awaiting.ts'
import { Trend } from '../vulnerabilities/trends/trend.tsx'
import { AcceptAll } from '../vulnerabilities/triage/lazy-dialogs.ts'
import { Activity } from './activity.tsx'
import styles from './dashboard.module.css'
import { NeverScanned, ProjectsByRisk } from './projects-by-risk.tsx'
import { SeverityCards } from './severity-cards.tsx'
import type { Statistics } from './statistics.ts'
import { texts } from './texts.ts'
import { Work } from './work.tsx'

/** Group whose projects the dashboard shows. */
interface Place {
  groupId: number
  /** Returns the address of a page of the group. */
  to: (part: string) => string
}

/** Security dashboard of all projects that the user may read, or of those of a group; nothing if there are none. */
export function Dashboard({ group }: { group?: Place }) {
  const path = { id: group?.groupId ?? 0 }
  const isGroup = group !== undefined
  const ofInstance = useApiQuery('GET /vulnerability_statistics', {}, { isEnabled: !isGroup })
  const ofGroup = useApiQuery('GET /groups/{id}/vulnerability_statistics', { path }, { isEnabled: isGroup })
  const instanceWork = useApiQuery('GET /security_dashboard', {}, { isEnabled: !isGroup })
  const groupWork = useApiQuery('GET /groups/{id}/security_dashboard', { path }, { isEnabled: isGroup })
  useLiveUpdates()
  const list = group?.to('vulnerabilities') ?? '/-/vulnerabilities'
  const work = isGroup ? groupWork : instanceWork
  return (
    <QueryResult query={isGroup ? ofGroup : ofInstance}>
      {(statistics) =>
        statistics.projects > 0 && (
          <>
            <Waiting statistics={statistics} {...(group && { groupId: group.groupId })} />
            <section className="stack" aria-label={texts.openVulnerabilities}>
              <SeverityCards statistics={statistics} list={list} />
              <Work statistics={statistics} dashboard={work.data ?? {}} list={list} />
            </section>
            <div className={styles.columns}>
              <Panel
                title={texts.projectsByRisk}
                actions={
                  <Link to={group ? group.to('coverage') : '/-/coverage'} className={styles.more}>
                    {texts.scannerCoverage}
                  </Link>
                }
              >
                <ProjectsByRisk statistics={statistics} list={list} />
                {work.data && <NeverScanned unscanned={work.data.unscanned} />}
              </Panel>
              <Panel
                title={texts.whatChanged}
                actions={
                  <Link to={group ? group.to('activity') : '/-/activity'} className={styles.more}>
                    {texts.allActivity}
                  </Link>
                }
              >
                <QueryResult query={work}>{(dashboard) => <Activity dashboard={dashboard} />}</QueryResult>
              </Panel>
            </div>
            <Panel title={texts.openVulnerabilitiesOverTime}>
              <div className="stack">
                <p className="muted small">{texts.inProjectYouCan(statistics.projects)}</p>
                <Trend days={statistics.per_day} />
              </div>
            </Panel>
          </>
        )
      }
    </QueryResult>
  )
}

/** Findings that await promotion, which are in no other number of the page, by project. */
function Waiting({ statistics, groupId }: { statistics: Statistics; groupId?: number }) {
  const session = useSession()
  const text = waitingInWords(statistics.waiting_findings)
  if (!text) return null
  return (
    <Panel
      title={text}
      actions={
        mayWrite(session) && (
          <AcceptAll scope={groupId === undefined ? {} : { groupId }} waiting={statistics.waiting_findings} />
        )
      }
    >
      <ul className={styles.waiting}>
        {statistics.waiting_projects.map((project) => (
          <li key={project.id} className="row-wrap">
            <span>
              {project.name_with_namespace}: {waitingInWords(project.waiting_findings)}
            </span>
            <span className="push">
              <LinkButton size="small" to={`/${project.path_with_namespace}/-/vulnerabilities${awaitingQuery}`}>
                {texts.reviewFindings}
              </LinkButton>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
