import { Link, useLocation } from 'wouter'
import type { ViewedState } from '../../../nouns/vulnerability/saved-view.ts'
import { texts } from '../texts.ts'
import styles from './saved-views.module.css'

/** Filters that a list without saved views offers. They are addresses; nothing is stored. */
const presets: readonly { label: string; filter: ViewedState; isPersonal?: boolean }[] = [
  { label: texts.criticalFixable, filter: { severity: 'critical', fix_available: 'true' } },
  { label: texts.mine, filter: { assignee_id: 'me' }, isPersonal: true },
  { label: texts.overduePreset, filter: { overdue: 'true' } },
]

const queryOf = (filter: ViewedState) => `${new URLSearchParams(filter)}`

/** Links to the presets of a list. */
export function PresetViews({ state, isSignedIn }: { state: ViewedState; isSignedIn: boolean }) {
  const [path] = useLocation()
  return (
    <nav className={`${styles.nav} ${styles.presets}`} aria-label={texts.suggestedViews}>
      <ul className={styles.views}>
        {presets
          .filter(({ isPersonal }) => isSignedIn || !isPersonal)
          .map(({ label, filter }) => (
            <li key={label}>
              <Link
                to={`${path}?${queryOf(filter)}`}
                className={styles.view}
                aria-current={isSame(filter, state) ? 'true' : undefined}
              >
                {label}
              </Link>
            </li>
          ))}
      </ul>
    </nav>
  )
}

/** Returns true when a list shows exactly the filters of a preset, in any order. */
function isSame(filter: ViewedState, state: ViewedState): boolean {
  const wanted = new Map(Object.entries(filter))
  const shown = Object.entries(state).filter(([name]) => name !== 'sort')
  return shown.length === wanted.size && shown.every(([name, value]) => wanted.get(name) === value)
}
