import type { Schemas } from '@alcove/client'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { type Severity, severities } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { formatCount, inWords } from '../../components/format.ts'
import {
  type FilterChanges,
  type FilterState,
  type State,
  severitiesIn,
  states,
  statesIn,
  toggled,
  toggledState,
} from './filter.ts'
import styles from './overview.module.css'
import { useRemembered } from './remembered.ts'
import { Trend } from './trend.tsx'

export type Statistics = Schemas['VulnerabilityStatistics']

const choices = ['open', 'closed'] as const
/** Where there is little room the list comes first. */
const startsClosed = matchMedia('(max-width: 48rem)').matches

/** How bad it is, at a glance. The numbers are filters: pressed, the list shows what they count. */
export function Overview({
  statistics,
  state,
  onChange,
}: {
  /** Undefined while they are on their way: their places are there already. */
  statistics: Statistics | undefined
  state: FilterState
  onChange: (changes: FilterChanges) => void
}) {
  const [shown, setShown] = useRemembered('alcove.vulnerability-overview', choices, startsClosed ? 'closed' : 'open')
  const isOpen = shown === 'open'
  const chosenSeverities = severitiesIn(state)
  const chosenStates = statesIn(state)
  const count = (severity: Severity, wanted: readonly State[]) =>
    wanted.reduce((sum, word) => sum + (statistics?.counts[severity][word] ?? 0), 0)
  const ofSeverities: readonly Severity[] = chosenSeverities.length > 0 ? chosenSeverities : severities
  return (
    <section aria-label="At a glance" className={styles.overview}>
      <div className={styles.tiles}>
        <fieldset aria-label="By severity" className={styles.group}>
          {severities.map((severity) => (
            <Tile
              key={severity}
              label={inWords(severity)}
              look={styles[severity]}
              count={statistics && count(severity, chosenStates)}
              isPressed={chosenSeverities.includes(severity)}
              onPress={() => onChange({ severity: toggled(state.severity, severity) })}
            />
          ))}
        </fieldset>
        <fieldset aria-label="By state" className={styles.group}>
          {states.map((word) => (
            <Tile
              key={word}
              label={inWords(word)}
              count={statistics && ofSeverities.reduce((sum, severity) => sum + count(severity, [word]), 0)}
              isPressed={chosenStates.includes(word)}
              onPress={() => onChange({ state: toggledState(state, word) })}
            />
          ))}
        </fieldset>
      </div>
      {isOpen && (
        <div id="vulnerability-trend" className={styles.details}>
          {statistics && <Facts statistics={statistics} />}
          {statistics && <Trend days={statistics.per_day} />}
        </div>
      )}
      <div className={styles.toggle}>
        <Button
          kind="quiet"
          size="small"
          icon={isOpen ? ChevronUp : ChevronDown}
          aria-expanded={isOpen}
          onClick={() => setShown(isOpen ? 'closed' : 'open')}
        >
          {isOpen ? 'Hide trend and times' : 'Show trend and times'}
        </Button>
      </div>
    </section>
  )
}

function Tile({
  label,
  count,
  look = '',
  isPressed,
  onPress,
}: {
  label: string
  count: number | undefined
  look?: string | undefined
  isPressed: boolean
  onPress: () => void
}) {
  return (
    <button type="button" className={`${styles.tile} ${look}`} aria-pressed={isPressed} onClick={onPress}>
      <span className={styles.count}>{count === undefined ? '…' : formatCount(count)}</span>
      <span className={styles.label}>
        {look && <span className={styles.mark} aria-hidden="true" />}
        {label}
      </span>
    </button>
  )
}

const gradeMeanings = {
  A: 'Nothing is open',
  B: 'Nothing worse than low is open',
  C: 'The worst that is open is medium',
  D: 'The worst that is open is high or unknown',
  F: 'Something critical is open',
}

function Facts({ statistics }: { statistics: Statistics }) {
  const { letter_grade: grade, mean_time_to_resolve: mean, mean_time_to_resolve_by_severity: bySeverity } = statistics
  const times = severities.flatMap((severity) => {
    const seconds = bySeverity[severity]
    return seconds === null ? [] : [`${inWords(severity)} ${formatDuration(seconds)}`]
  })
  return (
    <dl className={styles.facts}>
      <div>
        <dt>Grade</dt>
        <dd>
          <span className={`${styles.grade} ${styles[`grade${grade}`]}`}>{grade}</span>
          <span className="muted small">{gradeMeanings[grade]}</span>
        </dd>
      </div>
      <div>
        <dt>Mean time to resolve</dt>
        <dd>
          <span className={styles.time}>{mean === null ? 'None yet' : formatDuration(mean)}</span>
          <span className="muted small">{mean === null ? 'Nothing has been resolved' : times.join(', ')}</span>
        </dd>
      </div>
    </dl>
  )
}

const units = [
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
] as const

/** `3 days`, `1.5 hours`: one digit is worth telling below ten. */
function formatDuration(seconds: number): string {
  const [name, length] = units.find(([, length]) => seconds >= length) ?? (['minute', 60] as const)
  const value = seconds / length
  const rounded = value >= 10 ? Math.round(value) : Math.round(value * 10) / 10
  return `${formatCount(rounded)} ${name}${rounded === 1 ? '' : 's'}`
}
