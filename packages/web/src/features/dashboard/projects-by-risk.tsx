import { Link } from 'wouter'
import { type Severity, severities } from '../../components/badge.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { formatCount, inWords } from '../../components/format.ts'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { Grade } from '../../nouns/project/grade.tsx'
import { curlCommand } from '../../nouns/project/report-commands.ts'
import styles from './dashboard.module.css'
import type { SecurityDashboard, Statistics } from './statistics.ts'
import { texts } from './texts.ts'

const shownSeverities: readonly Severity[] = ['critical', 'high']

/** Projects with the most severe open vulnerabilities. Names and numbers open the list, filtered by the project. */
export function ProjectsByRisk({ statistics, list }: { statistics: Statistics; list: string }) {
  if (statistics.most_affected_projects.length === 0) return <p className="muted">{texts.noOpenVulnerabilities}</p>
  return (
    <Table
      label={texts.openVulnerabilitiesByProject}
      head={[texts.project, ...shownSeverities.map(inWords), texts.total, texts.grade, texts.scanned]}
    >
      {statistics.most_affected_projects.map((project) => (
        <tr key={project.id}>
          <td className={styles.project}>
            <Link to={`${list}?project_id=${project.id}`}>{project.name_with_namespace}</Link>
            <Bar counts={project} />
          </td>
          {shownSeverities.map((severity) => (
            <td key={severity} className="numbers">
              {project[severity] === 0 ? (
                formatCount(0)
              ) : (
                <Link
                  to={`${list}?project_id=${project.id}&severity=${severity}`}
                  aria-label={texts.severityOfProject(formatCount(project[severity]), severity, project.name)}
                >
                  {formatCount(project[severity])}
                </Link>
              )}
            </td>
          ))}
          <td className="numbers">{formatCount(project.total)}</td>
          <td>
            <Grade grade={project.letter_grade} lastScanAt={project.last_scan_at} waiting={project.waiting_findings} />
          </td>
          <td className={`muted small ${styles.time}`}>
            {project.last_scan_at ? <Time of={project.last_scan_at} /> : texts.never}
          </td>
        </tr>
      ))}
    </Table>
  )
}

/** Shares of the severities. The numbers are beside it. */
function Bar({ counts }: { counts: Record<Severity, number> }) {
  return (
    <span data-chart="shares" className={styles.bar} aria-hidden="true">
      {severities
        .filter((severity) => counts[severity] > 0)
        .map((severity) => (
          <span key={severity} className={styles[severity]} style={{ flexGrow: counts[severity] }} />
        ))}
    </span>
  )
}

/** Projects without a scan, with the command that sends their first report. */
export function NeverScanned({ unscanned }: Pick<SecurityDashboard, 'unscanned'>) {
  if (unscanned.total === 0) return null
  return (
    <section className="stack-tight" aria-label={texts.neverScanned}>
      <h3>{texts.projectNeverScanned(unscanned.total)}</h3>
      <ul className={styles.waiting}>
        {unscanned.projects.map((project) => (
          <li key={project.id} className="row-wrap">
            <Link to={`/${project.path_with_namespace}`}>{project.name_with_namespace}</Link>
            <span className="push">
              <CopyButton
                text={curlCommand({ path: project.path_with_namespace })}
                label={texts.copyCommandFor(project.name)}
                isIcon
              />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
