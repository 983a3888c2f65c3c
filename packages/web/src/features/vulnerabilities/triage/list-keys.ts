import { texts } from '../texts.ts'
import { type KeyHelp, movingKeys, otherKeys, selectingKeys } from './keys.ts'
import type { Press } from './page-keys.ts'
import { acceptKey, actions, actionsOf, assignKey } from './triage-change.ts'

interface ListKeyActions {
  /** Absent: rows can only be selected one by one. */
  selectAll?: (() => void) | undefined
  clear: () => void
  /** Element that contains the search field. */
  search: HTMLElement | null
  help: () => void
}

/** Handles the keys that all lists share. Returns true for a key that it handled. */
export function handleListKey({ key, ctrlKey, metaKey, altKey }: Press, on: ListKeyActions): boolean {
  if (key === 'a' && (ctrlKey || metaKey) && on.selectAll) on.selectAll()
  else if (key === 'Escape') on.clear()
  else if (key === '/' && !ctrlKey && !metaKey && !altKey) on.search?.querySelector('input')?.focus()
  else if (key === '?') on.help()
  else return false
  return true
}

/** Keys of a user who may not triage. */
export const readingKeys: KeyHelp = [...movingKeys, ...otherKeys]

export const triageKeysOf = (isAwaiting: boolean): KeyHelp => [
  ...movingKeys,
  ...selectingKeys,
  ...actionsOf(isAwaiting).map((name) => [actions[name].key, actions[name].label] as const),
  isAwaiting ? [acceptKey, texts.acceptAsVulnerability] : [assignKey, texts.assign],
  ['z', texts.undo],
  ...otherKeys,
]
