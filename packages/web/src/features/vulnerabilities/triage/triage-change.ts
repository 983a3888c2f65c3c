import type { DismissalReason, Filter, State } from '../../../nouns/vulnerability/filters.ts'
import type { Owner, VulnerabilityRow } from '../../../nouns/vulnerability/owner.ts'
import { texts } from '../texts.ts'

export const actions = {
  confirm: { to: 'confirmed', label: texts.confirm, key: 'c', done: texts.confirmed },
  dismiss: { to: 'dismissed', label: texts.dismiss, key: 'd', done: texts.dismissed },
  resolve: { to: 'resolved', label: texts.resolve, key: 'r', done: texts.resolved },
  revert: { to: 'detected', label: texts.reopen, key: 'v', done: texts.reopened },
} as const satisfies Record<string, { to: State; label: string; key: string; done: string }>
export type Action = keyof typeof actions

// `Object.keys` loses the type of the keys.
const actionNames = Object.keys(actions) as Action[]

/** Returns the actions of a list. What awaits triage cannot be reopened. */
export const actionsOf = (isAwaiting: boolean): readonly Action[] =>
  isAwaiting ? actionNames.filter((name) => name !== 'revert') : actionNames

export interface Change {
  action: Action
  comment?: string | undefined
  reason?: DismissalReason | undefined
  /** End of a dismissal. */
  end?: { until?: string; until_fixed?: true } | undefined
  /** How far a dismissal reaches, if not to all branches. */
  scope?: { scope: 'ref'; ref: string } | { scope: 'group'; group_id: number } | undefined
}

/** Change of the assignee. It has no state that rows could show before the response. */
export type Assignment = { action: 'assign'; assigneeId: number } | { action: 'unassign' }

/** Change of tags. It has no state that rows could show before the response. */
export interface Tagging {
  action: 'tag' | 'untag'
  tags: readonly string[]
}

/** Change that rows do not show before the response. */
export type FieldChange = Assignment | Tagging

/** Key of the button and dialog that assign. */
export const assignKey = 'a'

/** Target of an action: rows, or everything in a list that matches a filter. */
export type Target = RowsTarget | FilterTarget

interface RowsTarget {
  rows: readonly VulnerabilityRow[]
  /** The list of the rows. */
  owner: Owner
}

export interface FilterTarget {
  owner: Owner
  /** True: the findings that match and await triage. */
  isOfFindings?: boolean
  filter: Filter
  count: number | undefined
}

/** Key of the button that accepts findings as vulnerabilities without a decision. */
export const acceptKey = 'p'

/** Returns true for a target of findings, which become vulnerabilities before they are changed. */
export const isOfFindings = (target: Target): boolean =>
  'rows' in target ? target.rows[0]?.isFinding === true : target.isOfFindings === true
