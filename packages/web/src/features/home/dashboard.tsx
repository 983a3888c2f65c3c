import type { ResponseOf } from '@alcove/client'
import { Link } from 'wouter'
import { type Severity, severities } from '../../components/badge.tsx'
import { LinkButton } from '../../components/button.tsx'
import { counted, formatCount, inWords } from '../../components/format.ts'
import { Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { useApiQuery } from '../../data/api.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import { waitingInWords } from '../../nouns/finding/triage-backlog.ts'
import { Trend } from '../vulnerabilities/trends/trend.tsx'
import { AcceptAll } from '../vulnerabilities/triage/accept-all.tsx'
import styles from './dashboard.module.css'

type InstanceStatistics = ResponseOf<'GET /vulnerability_statistics'>

/** Open vulnerabilities of all projects that the user may read; nothing if there are none. */
export function Dashboard() {
  const query = useApiQuery('GET /vulnerability_statistics', {})
  return (
    <QueryResult query={query}>
      {(statistics) =>
        statistics.projects > 0 && (
          <>
            <Waiting statistics={statistics} />
            <Open statistics={statistics} />
            {statistics.most_affected_projects.length > 0 && <Affected statistics={statistics} />}
          </>
        )
      }
    </QueryResult>
  )
}

function Open({ statistics }: { statistics: InstanceStatistics }) {
  return (
    <Panel
      title="Open vulnerabilities"
      actions={
        <Link to="/-/vulnerabilities" className="small">
          View all
        </Link>
      }
    >
      <div className="stack">
        <ul className={styles.counts} aria-label="By severity">
          {severities.map((severity) => (
            <li key={severity}>
              <Link to={`/-/vulnerabilities?severity=${severity}`} className={`${styles.count} ${styles[severity]}`}>
                <strong>{formatCount(statistics[severity])}</strong> {inWords(severity)}
              </Link>
            </li>
          ))}
        </ul>
        <p className="muted small">
          {statistics.total === 0 && statistics.waiting_findings === 0 && 'No open vulnerabilities '}
          in {counted(statistics.projects, 'project')} you can access
        </p>
        <Trend days={statistics.per_day} />
      </div>
    </Panel>
  )
}

/** Findings that await promotion, which are in no other number of the page, by project. */
function Waiting({ statistics }: { statistics: InstanceStatistics }) {
  const session = useSession()
  const text = waitingInWords(statistics.waiting_findings)
  if (!text) return null
  return (
    <Panel title={text} actions={mayWrite(session) && <AcceptAll scope={{}} waiting={statistics.waiting_findings} />}>
      <ul className={styles.waiting}>
        {statistics.waiting_projects.map((project) => (
          <li key={project.id} className="row-wrap">
            <span>
              {project.name_with_namespace}: {waitingInWords(project.waiting_findings)}
            </span>
            <span className="push">
              <LinkButton size="small" to={`/${project.path_with_namespace}/-/findings`}>
                Review findings
              </LinkButton>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const shownSeverities: readonly Severity[] = ['critical', 'high']

function Affected({ statistics }: { statistics: InstanceStatistics }) {
  return (
    <Panel title="Most affected projects">
      <Table
        label="Open vulnerabilities by project"
        head={['Project', 'Grade', ...shownSeverities.map(inWords), 'Total']}
      >
        {statistics.most_affected_projects.map((project) => (
          <tr key={project.id}>
            <td>
              <Link to={`/${project.path_with_namespace}/-/vulnerabilities`}>{project.name_with_namespace}</Link>
            </td>
            <td>{project.letter_grade ?? '–'}</td>
            {shownSeverities.map((severity) => (
              <td key={severity} className="numbers">
                {formatCount(project[severity])}
              </td>
            ))}
            <td className="numbers">{formatCount(project.total)}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  )
}
