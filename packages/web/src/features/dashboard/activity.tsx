import { CircleDot, Radar, TriangleAlert } from 'lucide-react'
import { Link } from 'wouter'
import { fill } from '../../components/fill.tsx'
import { formatCount } from '../../components/format.ts'
import { Time } from '../../components/time.tsx'
import styles from './dashboard.module.css'
import type { SecurityDashboard } from './statistics.ts'
import { texts } from './texts.ts'

type Entry = SecurityDashboard['activity'][number]
type Silent = NonNullable<Entry['silent_scanner']>

/** Scanners that stopped reporting, then recent changes by reports and by people. */
export function Activity({ dashboard }: { dashboard: SecurityDashboard }) {
  const { activity, silent_scanners: silent } = dashboard
  if (activity.length === 0 && silent.total === 0) return <p className="muted">{texts.noChangesInTheLast}</p>
  return (
    <>
      {silent.total > 0 && (
        <ul className={styles.entries} aria-label={texts.scannersThatStoppedReporting}>
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
        <li key={keyOf(entry)} className={styles.entry}>
          <Icon of={entry} />
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

const keyOf = ({ kind, created_at: time, project, import: report, silent_scanner: silent }: Entry) =>
  [kind, time, project.id, report?.id ?? silent?.name].join(' ')

function Icon({ of: { kind } }: { of: Entry }) {
  if (kind === 'import') return <Radar size={16} aria-hidden="true" className={styles.icon} />
  if (kind === 'triage') return <CircleDot size={16} aria-hidden="true" className={styles.icon} />
  return <TriangleAlert size={16} aria-hidden="true" className={styles.warning} />
}

const dayMs = 24 * 60 * 60 * 1000

/** States for how long a scanner has not reported. */
function Silence({ entry: { project }, of: { name, last_report_at: last } }: { entry: Entry; of: Silent }) {
  return fill(texts.noReportFor(Math.floor((Date.now() - Date.parse(last)) / dayMs)), {
    strong: <strong>{name}</strong>,
    link: <Link to={`/${project.path_with_namespace}/-/reports`}>{project.name_with_namespace}</Link>,
  })
}

const verbs = { confirm: 'confirmed', resolve: 'resolved', dismiss: 'dismissed', revert: 'reopened' } as const

function Sentence({ entry }: { entry: Entry }) {
  const { project, author, import: report, triage, silent_scanner: silent } = entry
  const base = `/${project.path_with_namespace}/-`
  if (silent) return <Silence entry={entry} of={silent} />
  if (report) {
    const parts = [
      report.new > 0 &&
        `${texts.newFinding(report.new)}${report.critical > 0 ? texts.critical(formatCount(report.critical)) : ''}`,
      report.reappeared > 0 && texts.findingRedetected(report.reappeared),
      report.absent > 0 && texts.findingNoLongerDetected(report.absent),
      report.held > 0 && texts.findingMissing(report.held),
    ].filter(Boolean)
    return (
      <>
        {fill(entry.kind === 'mass_absence' ? texts.massAbsence : texts.inLabel, {
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
