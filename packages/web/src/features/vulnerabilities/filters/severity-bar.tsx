import type { Schemas } from '@alcove/client'
import { type Severity, severities } from '../../../components/badge.tsx'
import { formatCount, inWords } from '../../../components/format.ts'
import {
  type FilterChanges,
  type FilterState,
  severitiesIn,
  statesIn,
  toggledIn,
} from '../../../nouns/vulnerability/filter-state.ts'
import type { State } from '../../../nouns/vulnerability/filters.ts'
import { texts } from '../texts.ts'
import styles from './severity-bar.module.css'

/** Statistics of one project or of many, which have no last scan of their own. */
export type Statistics = Omit<Schemas['VulnerabilityStatistics'], 'last_scan_at'> & { last_scan_at?: string | null }

/**
 * The number of vulnerabilities of each severity, in the chosen states, and of those that are overdue. Each number is a
 * filter of the list.
 */
export function SeverityBar({
  statistics,
  state,
  onChange,
}: {
  /** Undefined while loading: the bar already has its final height. `none`: the bar filters a list without counts. */
  statistics: Statistics | 'none' | undefined
  state: FilterState
  onChange: (changes: FilterChanges) => void
}) {
  const chosen = severitiesIn(state)
  return (
    <fieldset aria-label={texts.bySeverity} className={styles.bar}>
      {severities.map((severity) => (
        <button
          key={severity}
          type="button"
          className={`${styles.segment} ${styles[severity]}`}
          aria-pressed={chosen.includes(severity)}
          title={inWords(severity)}
          onClick={() => onChange(toggledIn('severity', state, severity))}
        >
          <span className={styles.mark} aria-hidden="true" />
          {statistics !== 'none' && (
            <span className={styles.count}>
              {statistics ? formatCount(countOf(statistics, [severity], statesIn(state))) : '…'}
            </span>
          )}{' '}
          <span className={styles.label}>{inWords(severity)}</span>
        </button>
      ))}
      {statistics !== 'none' && <Overdue statistics={statistics} state={state} onChange={onChange} />}
    </fieldset>
  )
}

/** Shown only where something is overdue, or the list is filtered by it. */
function Overdue({
  statistics,
  state,
  onChange,
}: {
  statistics: Statistics | undefined
  state: FilterState
  onChange: (changes: FilterChanges) => void
}) {
  const isChosen = state.overdue === 'true'
  const total = statistics?.overdue.total ?? 0
  if (total === 0 && !isChosen) return null
  return (
    <button
      type="button"
      className={styles.segment}
      aria-pressed={isChosen}
      title={texts.detectedOrConfirmedAfter}
      onClick={() => onChange({ overdue: isChosen ? undefined : 'true' })}
    >
      <span className={styles.count}>{statistics ? formatCount(total) : '…'}</span>{' '}
      <span className={styles.label}>{texts.overdue}</span>
    </button>
  )
}

/** The number of vulnerabilities of these severities in these states. */
export function countOf(
  { counts }: Statistics,
  wantedSeverities: readonly Severity[],
  wantedStates: readonly State[],
): number {
  return wantedSeverities.reduce(
    (sum, severity) => wantedStates.reduce((sum, state) => sum + counts[severity][state], sum),
    0,
  )
}
