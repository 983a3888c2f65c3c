import { Link } from 'wouter'
import { type Severity, SeverityBadge, severities } from '../../../components/badge.tsx'
import { formatCount, formatDuration, inWords } from '../../../components/format.ts'
import { Table } from '../../../components/table.tsx'
import type { Statistics } from '../filters/severity-bar.tsx'
import { texts } from './texts.ts'

const changeDays = 30

/** Severities that are shown only while there are vulnerabilities. */
const optional: readonly Severity[] = ['info', 'unknown']

/** Open and overdue vulnerabilities, the change in a month, and the mean time to resolve, for each severity. */
export function BySeverity({ statistics, list }: { statistics: Statistics; list: string }) {
  const { overdue, per_day: days, mean_time_to_resolve_by_severity: times } = statistics
  const shown = severities.filter(
    (severity) => !optional.includes(severity) || statistics[severity] > 0 || times[severity] !== null,
  )
  return (
    <Table
      label={texts.numbersBySeverity}
      head={[texts.severity, texts.open, texts.changeIn30Days, texts.overdue, texts.meanTimeToResolve]}
    >
      {shown.map((severity) => {
        const seconds = times[severity]
        const address = `${list}?severity=${severity}`
        return (
          <tr key={severity} className="numbers">
            <th scope="row">
              <SeverityBadge severity={severity} />
            </th>
            <td>
              <Count of={statistics[severity]} label={texts.openOf(inWords(severity))} to={address} />
            </td>
            <td>{formatChange((days.at(-1)?.[severity] ?? 0) - (days.at(-1 - changeDays)?.[severity] ?? 0))}</td>
            <td>
              <Count of={overdue[severity]} label={texts.overdueOf(inWords(severity))} to={`${address}&overdue=true`} />
            </td>
            <td>{seconds === null ? texts.noData : formatDuration(seconds)}</td>
          </tr>
        )
      })}
    </Table>
  )
}

/** Number that links to its vulnerabilities. */
function Count({ of: count, label, to }: { of: number; label: string; to: string }) {
  if (count === 0) return 0
  return (
    <Link to={to} aria-label={`${label}: ${formatCount(count)}`}>
      {formatCount(count)}
    </Link>
  )
}

const formatChange = (change: number) =>
  change === 0 ? texts.noChange : `${change > 0 ? '+' : '−'}${formatCount(Math.abs(change))}`
