import { Link, useLocation } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
import { useSearchState } from '../../../data/search-state.ts'
import { awaiting } from '../../../nouns/vulnerability/awaiting.ts'
import { findingFilterNames } from '../../../nouns/vulnerability/filters.ts'
import type { Owner } from '../../../nouns/vulnerability/owner.ts'
import { texts } from '../texts.ts'
import styles from '../views/saved-views.module.css'

/** Findings of a project that await triage. */
export interface Waiting {
  /** Absent: none. */
  count: string | undefined
  inWords: string | undefined
}

const tabs = [
  { label: texts.open, state: undefined },
  { label: texts.resolved2, state: 'resolved' },
  { label: texts.dismissed2, state: 'dismissed' },
  { label: texts.all, state: 'any' },
] as const

/** Returns true while the list shows the findings that await triage. Lists of many projects have no such tab. */
export function useIsAwaiting({ kind }: Owner): boolean {
  const [{ tab }] = useSearchState(['tab'])
  return tab === awaiting && kind === 'project'
}

/** Links to the stages of triage, from new findings to decisions. Filters that both lists have are kept. */
export function InboxTabs({ owner, waiting }: { owner: Owner; waiting: Waiting | undefined }) {
  const [path] = useLocation()
  const search = useSearch()
  const isAwaiting = useIsAwaiting(owner)
  const [{ state }] = useSearchState(['state'])
  const to = (changes: Readonly<Record<string, string | undefined>>) => path + queryWith(search, changes)
  return (
    <nav className={styles.nav} aria-label={texts.stages}>
      <ul className={styles.views}>
        {owner.kind === 'project' && (
          <li>
            <Link
              to={to({ tab: awaiting })}
              className={styles.view}
              aria-current={isAwaiting ? 'true' : undefined}
              title={waiting?.inWords}
            >
              {texts.awaitingTriage}
              {waiting?.count !== undefined && <span className="numbers">{waiting.count}</span>}
            </Link>
          </li>
        )}
        {tabs.map((tab) => (
          <li key={tab.label}>
            <Link
              to={to({ state: tab.state, view: tab.state === undefined ? 'all' : undefined })}
              className={styles.view}
              aria-current={!isAwaiting && state === tab.state ? 'true' : undefined}
            >
              {tab.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

// A list of findings has fewer filters, and no order of its own.
const kept = new Set<string>(findingFilterNames)
const keptBesides = new Set(['sort', 'group_by', 'group_id', 'project_id', 'topic'])

function queryWith(search: string, changes: Readonly<Record<string, string | undefined>>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(search)) {
    if (kept.has(name) || (keptBesides.has(name) && changes['tab'] === undefined)) parameters.set(name, value)
  }
  for (const [name, value] of Object.entries(changes)) if (value !== undefined) parameters.set(name, value)
  return `?${parameters}`
}
