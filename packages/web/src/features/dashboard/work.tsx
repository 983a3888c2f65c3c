import { Link } from 'wouter'
import { severities } from '../../components/badge.tsx'
import { formatCount } from '../../components/format.ts'
import { useUser } from '../../data/session.ts'
import styles from './dashboard.module.css'
import type { SecurityDashboard, Statistics } from './statistics.ts'

/** What awaits a decision, as links to the lists. */
export function Work({
  statistics,
  dashboard,
  list,
}: {
  statistics: Statistics
  dashboard: SecurityDashboard | undefined
  list: string
}) {
  const user = useUser()
  const detected = severities.reduce((sum, severity) => sum + statistics.counts[severity].detected, 0)
  const facts = [
    { label: 'Needs triage', total: detected, to: `${list}?state=detected` },
    { label: 'Assigned to me', total: dashboard?.assigned_to_me, to: `${list}?assignee_id=${user.id}` },
    { label: 'Overdue', total: statistics.overdue.total, to: `${list}?overdue=true` },
    { label: 'Awaiting approval', total: dashboard?.awaiting_approval, to: '/-/approvals' },
  ]
  return (
    <ul className={styles.work} aria-label="Open work">
      {facts.map(({ label, total, to }) => (
        <li key={label}>
          <Link to={to} className={styles.fact}>
            <strong className="numbers">{total === undefined ? '…' : formatCount(total)}</strong> {label}
          </Link>
        </li>
      ))}
    </ul>
  )
}
