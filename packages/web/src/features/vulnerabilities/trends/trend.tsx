import { type PointerEvent, useState } from 'react'
import { type Severity, severities } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { SelectField } from '../../../components/form/field.tsx'
import { formatCount, formatDay, inWords } from '../../../components/format.ts'
import { Table } from '../../../components/table.tsx'
import { Day } from '../../../components/time.tsx'
import type { Statistics } from '../filters/severity-bar.tsx'
import { useStoredChoice } from '../grid/stored-choice.ts'
import { texts } from './texts.ts'
import styles from './trend.module.css'

type DayCounts = Statistics['per_day'][number]

const lengths = [
  { value: '30', label: texts.last30Days },
  { value: '90', label: texts.last90Days },
  { value: '365', label: texts.lastYear },
] as const
const lengthNames = lengths.map(({ value }) => value)
const height = 100
/** Lowest severity first, so that the highest severity is the top layer. */
const layers = severities.toReversed()

/** Open vulnerabilities at the end of each day, as a stacked area chart whose days the arrow keys choose, or a table. */
export function Trend({ days: all }: { days: readonly DayCounts[] }) {
  const [length, setLength] = useStoredChoice('alcove.vulnerability-days', lengthNames, '90')
  const [isTable, setTable] = useState(false)
  const [pointed, setPointed] = useState<number>()
  const days = all.slice(-Number(length))
  const max = Math.max(1, ...days.map(({ total }) => total))
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) return null
  const shownDay = days[pointed ?? -1] ?? last

  function point({ currentTarget, clientX }: PointerEvent) {
    const { left, width } = currentTarget.getBoundingClientRect()
    const index = Math.floor(((clientX - left) / width) * days.length)
    setPointed(Math.min(Math.max(0, index), days.length - 1))
  }

  return (
    <figure className={styles.trend} aria-label={texts.openVulnerabilitiesPerDay}>
      <div className="row-wrap">
        <figcaption className={styles.caption}>
          <span className="muted small numbers">
            <Day of={shownDay.date} />: {inWordsOf(shownDay)}
          </span>
        </figcaption>
        <span className="row push">
          <SelectField label={texts.period} isLabelHidden choices={lengths} value={length} onChoose={setLength} />
          <Button size="small" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {texts.showAsTable}
          </Button>
        </span>
      </div>
      {isTable ? (
        <div className={styles.numbers}>
          <Table label={texts.openVulnerabilitiesPerDay} head={[texts.day, texts.total, ...severities.map(inWords)]}>
            {days.toReversed().map((day) => (
              <tr key={day.date} className="numbers">
                <td>
                  <Day of={day.date} />
                </td>
                <td>{formatCount(day.total)}</td>
                {severities.map((severity) => (
                  <td key={severity}>{formatCount(day[severity])}</td>
                ))}
              </tr>
            ))}
          </Table>
        </div>
      ) : (
        <div className={styles.chart}>
          <span className={styles.most} aria-hidden="true">
            {formatCount(max)}
          </span>
          <svg
            data-chart="area"
            role="img"
            aria-label={texts.openDaysAgoNow(
              formatCount(first.total),
              days.length,
              formatCount(last.total),
              formatCount(max),
            )}
            viewBox={`0 0 ${days.length} ${height}`}
            preserveAspectRatio="none"
            className={styles.areas}
            onPointerMove={point}
            onPointerLeave={() => setPointed(undefined)}
          >
            {layers.map((severity, index) => (
              <path
                key={severity}
                className={styles[severity]}
                d={areaOf(days, layers.slice(0, index), severity, max)}
              />
            ))}
            {pointed !== undefined && (
              <line x1={pointed + 0.5} x2={pointed + 0.5} y1={0} y2={height} className={styles.pointed} />
            )}
          </svg>
          <input
            type="range"
            className={styles.days}
            aria-label={texts.dayOfTheChart}
            aria-valuetext={`${formatDay(shownDay.date)}: ${inWordsOf(shownDay)}`}
            min={0}
            max={days.length - 1}
            value={pointed ?? days.length - 1}
            onChange={({ target }) => setPointed(target.valueAsNumber)}
            onBlur={() => setPointed(undefined)}
          />
          <p className={styles.ends} aria-hidden="true">
            <Day of={first.date} />
            <Day of={last.date} />
          </p>
        </div>
      )}
    </figure>
  )
}

/** Returns the SVG path of a layer in the stacked step chart. */
function areaOf(days: readonly DayCounts[], below: readonly Severity[], severity: Severity, max: number): string {
  const y = (value: number) => (height * (1 - value / max)).toFixed(2)
  const bottoms = days.map((day) => below.reduce((sum, name) => sum + day[name], 0))
  const upper = days.map((day, x) => `V${y((bottoms[x] ?? 0) + day[severity])}H${x + 1}`)
  const lower = bottoms.map((bottom, x) => `V${y(bottom)}H${x}`).reverse()
  return `M0,${height}${upper.join('')}${lower.join('')}Z`
}

function inWordsOf(day: DayCounts): string {
  const parts = severities.filter((severity) => day[severity] > 0).map((name) => `${formatCount(day[name])} ${name}`)
  return parts.length > 0 ? `${formatCount(day.total)} (${parts.join(', ')})` : formatCount(day.total)
}
