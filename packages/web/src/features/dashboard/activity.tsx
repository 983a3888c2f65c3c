import { CircleDot, Radar, TriangleAlert } from 'lucide-react'
import { Link } from 'wouter'
import { counted, formatCount } from '../../components/format.ts'
import { Time } from '../../components/time.tsx'
import styles from './dashboard.module.css'
import type { SecurityDashboard } from './statistics.ts'

type Entry = SecurityDashboard['activity'][number]

/** Scanners that stopped to report, then recent changes by reports and by people. */
export function Activity({ dashboard }: { dashboard: SecurityDashboard }) {
  const { activity, silent_scanners: silent } = dashboard
  if (activity.length === 0 && silent.total === 0) return <p className="muted">No changes in the last 30 days.</p>
  return (
    <>
      {silent.total > 0 && (
        <ul className={styles.entries} aria-label="Scanners that stopped to report">
          {silent.scanners.map(({ name, project, last_report_at: last }) => (
            <li key={`${project.id} ${name}`} className={styles.entry}>
              <TriangleAlert size={16} aria-hidden="true" className={styles.warning} />
              <p>
                <strong>{name}</strong> has not reported for{' '}
                <Link to={`/${project.path_with_namespace}/-/reports`}>{project.name_with_namespace}</Link>{' '}
                <span className="muted small">
                  · last report <Time of={last} />
                </span>
              </p>
            </li>
          ))}
          {silent.total > silent.scanners.length && (
            <li className="muted small">and {counted(silent.total - silent.scanners.length, 'other scanner')}</li>
          )}
        </ul>
      )}
      <ActivityEntries entries={activity} />
    </>
  )
}

/** Changes by reports and by people, newest first. */
export function ActivityEntries({ entries }: { entries: readonly Entry[] }) {
  return (
    <ul className={styles.entries} aria-label="Recent changes">
      {entries.map((entry) => (
        <li key={`${entry.kind} ${entry.created_at} ${entry.project.id}`} className={styles.entry}>
          {entry.kind === 'import' ? (
            <Radar size={16} aria-hidden="true" className={styles.icon} />
          ) : (
            <CircleDot size={16} aria-hidden="true" className={styles.icon} />
          )}
          <p>
            <Sentence entry={entry} />{' '}
            <span className="muted small">
              <Time of={entry.created_at} />
            </span>
          </p>
        </li>
      ))}
    </ul>
  )
}

const verbs = { confirm: 'confirmed', resolve: 'resolved', dismiss: 'dismissed', revert: 'reopened' } as const

function Sentence({ entry: { project, author, import: report, triage } }: { entry: Entry }) {
  const base = `/${project.path_with_namespace}/-`
  if (report) {
    const parts = [
      report.new > 0 &&
        `${counted(report.new, 'new finding')}${report.critical > 0 ? ` (${formatCount(report.critical)} critical)` : ''}`,
      report.reappeared > 0 && `${counted(report.reappeared, 'finding')} redetected`,
      report.absent > 0 && `${counted(report.absent, 'finding')} no longer detected`,
      report.held > 0 && `${counted(report.held, 'absence')} to review`,
    ].filter(Boolean)
    return (
      <>
        <Link to={`${base}/reports/${report.id}`}>{parts.join(', ')}</Link> in {project.name_with_namespace}
        {report.scanner && ` by ${report.scanner}`}
      </>
    )
  }
  if (!triage) return null
  const { vulnerability, total, action } = triage
  return (
    <>
      <strong>{author?.name ?? 'Deleted user'}</strong> {verbs[action]}{' '}
      <Link to={vulnerability ? `${base}/vulnerabilities/${vulnerability.id}` : `${base}/vulnerabilities?state=any`}>
        {vulnerability?.title ?? counted(total, 'vulnerability', 'vulnerabilities')}
      </Link>{' '}
      in {project.name_with_namespace}
    </>
  )
}
