import { Link } from 'wouter'
import { severities } from '../../components/badge.tsx'
import { formatCount } from '../../components/format.ts'
import { useUser } from '../../data/session.ts'
import styles from './dashboard.module.css'
import type { SecurityDashboard, Statistics } from './statistics.ts'
import { texts } from './texts.ts'

/** What awaits a decision, as links to the lists. */
export function Work({
  statistics,
  dashboard,
  list,
}: {
  statistics: Pick<Statistics, 'counts' | 'overdue'>
  /** Numbers of the lists of many projects; absent for one project. */
  dashboard?: Partial<SecurityDashboard> | undefined
  list: string
}) {
  const user = useUser()
  const detected = severities.reduce((sum, severity) => sum + statistics.counts[severity].detected, 0)
  const facts = [
    { label: texts.needsTriage, total: detected, to: `${list}?state=detected` },
    ...(dashboard
      ? [{ label: texts.assignedToMe, total: dashboard.assigned_to_me, to: `${list}?assignee_id=${user.id}` }]
      : []),
    { label: texts.overdue, total: statistics.overdue.total, to: `${list}?overdue=true` },
    ...(dashboard ? [{ label: texts.awaitingApproval, total: dashboard.awaiting_approval, to: '/-/approvals' }] : []),
  ]
  return (
    <ul className={styles.work} aria-label={texts.openWork}>
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
