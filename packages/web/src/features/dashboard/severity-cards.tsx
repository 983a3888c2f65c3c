import { TrendingDown, TrendingUp } from 'lucide-react'
import { Link } from 'wouter'
import { type Severity, severities } from '../../components/badge.tsx'
import { formatCount, inWords } from '../../components/format.ts'
import styles from './dashboard.module.css'
import type { Statistics } from './statistics.ts'
import { texts } from './texts.ts'

/** Severities that are shown only while there are vulnerabilities. */
const optional: readonly Severity[] = ['info', 'unknown']
const sparkDays = 30
const changeDays = 7

interface SeverityCardsProps {
  statistics: Pick<Statistics, Severity | 'per_day'>
  list: string
  /** Other filters of the list. */
  filter?: Readonly<Record<string, string>>
}

/** Open vulnerabilities of each severity, with the change in a week and the last 30 days. Each card opens its list. */
export function SeverityCards({ statistics, list, filter }: SeverityCardsProps) {
  const shown = severities.filter((severity) => !optional.includes(severity) || statistics[severity] > 0)
  return (
    <ul className={styles.counts} aria-label={texts.bySeverity}>
      {shown.map((severity) => (
        <li key={severity}>
          <Link
            to={`${list}?${new URLSearchParams({ ...filter, severity })}`}
            className={`${styles.count} ${styles[severity]}`}
          >
            <span>
              <strong>{formatCount(statistics[severity])}</strong> {inWords(severity)}
            </span>
            <Change days={statistics.per_day.map((day) => day[severity])} />
            <Sparkline days={statistics.per_day.slice(-sparkDays).map((day) => day[severity])} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

function Change({ days }: { days: readonly number[] }) {
  const change = (days.at(-1) ?? 0) - (days.at(-1 - changeDays) ?? 0)
  if (change === 0) return <span className={styles.change}>{texts.noChangeIn7}</span>
  const Arrow = change > 0 ? TrendingUp : TrendingDown
  return (
    <span className={styles.change}>
      <Arrow size={14} aria-hidden="true" />{' '}
      {texts.in7Days(formatCount(Math.abs(change)), change > 0 ? texts.more : texts.fewer)}
    </span>
  )
}

const height = 24

/** Line without numbers, which the card and the chart below have. */
function Sparkline({ days }: { days: readonly number[] }) {
  const max = Math.max(1, ...days)
  const points = days.map((value, x) => `${x},${(height - 1 - ((height - 2) * value) / max).toFixed(1)}`).join(' ')
  return (
    <svg
      data-chart="sparkline"
      className={styles.spark}
      viewBox={`0 0 ${Math.max(1, days.length - 1)} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polyline points={points} />
    </svg>
  )
}
