import { CircleDot, Radar, TriangleAlert } from 'lucide-react'
import { Link } from 'wouter'
import { fill } from '../../components/fill.tsx'
import { formatCount } from '../../components/format.ts'
import { Time } from '../../components/time.tsx'
import styles from './dashboard.module.css'
import type { SecurityDashboard } from './statistics.ts'
import { texts } from './texts.ts'

type Entry = SecurityDashboard['activity'][number]

/** Scanners that stopped to report, then recent changes by reports and by people. */
export function Activity({ dashboard }: { dashboard: SecurityDashboard }) {
  const { activity, silent_scanners: silent } = dashboard
  if (activity.length === 0 && silent.total === 0) return <p className="muted">{texts.noChangesInTheLast}</p>
  return (
    <>
      {silent.total > 0 && (
        <ul className={styles.entries} aria-label={texts.scannersThatStoppedToReport}>
          {silent.scanners.map(({ name, project, last_report_at: last }) => (
            <li key={`${project.id} ${name}`} className={styles.entry}>
              <TriangleAlert size={16} aria-hidden="true" className={styles.warning} />
              <p>
                {fill(texts.hasNotReportedFor, {
                  strong: <strong>{name}</strong>,
                  link: <Link to={`/${project.path_with_namespace}/-/reports`}>{project.name_with_namespace}</Link>,
                })}{' '}
                <span className="muted small">{fill(texts.lastReport, { time: <Time of={last} /> })}</span>
              </p>
            </li>
          ))}
          {silent.total > silent.scanners.length && (
            <li className="muted small">{texts.andOtherScanner(silent.total - silent.scanners.length)}</li>
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
    <ul className={styles.entries} aria-label={texts.recentChanges}>
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
        `${texts.newFinding(report.new)}${report.critical > 0 ? texts.critical(formatCount(report.critical)) : ''}`,
      report.reappeared > 0 && texts.findingRedetected(report.reappeared),
      report.absent > 0 && texts.findingNoLongerDetected(report.absent),
      report.held > 0 && texts.absenceToReview(report.held),
    ].filter(Boolean)
    return (
      <>
        {fill(texts.inLabel, {
          link: <Link to={`${base}/reports/${report.id}`}>{parts.join(', ')}</Link>,
          nameWithNamespace: project.name_with_namespace,
          scanner: report.scanner && texts.by(report.scanner),
        })}
      </>
    )
  }
  if (!triage) return null
  const { vulnerability, total, action } = triage
  return (
    <>
      {fill(texts.inLabel2, {
        strong: <strong>{author?.name ?? texts.deletedUser}</strong>,
        verbs: verbs[action],
        link: (
          <Link
            to={vulnerability ? `${base}/vulnerabilities/${vulnerability.id}` : `${base}/vulnerabilities?state=any`}
          >
            {vulnerability?.title ?? texts.vulnerabilities(total)}
          </Link>
        ),
        nameWithNamespace: project.name_with_namespace,
      })}
    </>
  )
}
