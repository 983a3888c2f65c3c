import { useSyncExternalStore } from 'react'
import { queries } from '../../../data/api.ts'
import type { State } from '../../../nouns/vulnerability/filter.ts'
import { rowsKey } from '../grid/paged-rows.ts'

/** What a list shows of a row that an action is about to change. */
export interface ShownState {
  state: State
  dismissalReason: string | null
}

/** An action on its way. Its states cover those of the list until the list has been fetched after the answer. */
interface Pending {
  states: ReadonlyMap<number, ShownState>
  isAnswered: boolean
}

// Outside of React: actions go on while the user opens other screens.
let pending: readonly Pending[] = []
let shown: ReadonlyMap<number, ShownState> = new Map()
let last: Promise<unknown> = Promise.resolve()
let waiting = 0
const listeners = new Set<() => void>()

/** True while the server has not answered every action. */
export function areActionsUnsent(): boolean {
  return waiting > 0
}

/** Resolves after the server has answered every action, so that messages keep the order of the keys. */
export const actionsAnswered = (): Promise<unknown> => last

/** True while lists show what actions have made of their rows. */
export function areActionsPending(): boolean {
  return pending.length > 0
}

/** The states that lists show instead of those they fetched, by the ids of vulnerabilities. */
export function useShownStates(): ReadonlyMap<number, ShownState> {
  return useSyncExternalStore(subscribe, () => shown)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Shows the states at once and sends the request after those that were made before: two actions on one row reach the
 * server in the order of the keys.
 */
export function enqueue<T>(states: ReadonlyMap<number, ShownState>, send: () => Promise<T>): Promise<T> {
  const entry: Pending = { states, isAnswered: false }
  show([...pending, entry])
  waiting += 1
  addEventListener('beforeunload', askFirst)
  const answer = last.then(send)
  last = answer.then(
    () => settle(entry, true),
    () => settle(entry, false),
  )
  return answer
}

function settle(entry: Pending, isDone: boolean): void {
  show(pending.flatMap((one) => (one !== entry ? one : isDone ? { ...one, isAnswered: true } : [])))
  waiting -= 1
  if (waiting > 0) return
  removeEventListener('beforeunload', askFirst)
  void refresh()
}

/** Fetches everything on screen. Until the rows are there, they show what the answered actions have made of them. */
async function refresh(): Promise<void> {
  const answered = new Set(pending.filter(({ isAnswered }) => isAnswered))
  void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== rowsKey })
  await queries.invalidateQueries({ queryKey: [rowsKey] })
  const rows = queries.getQueryCache().findAll({ queryKey: [rowsKey], type: 'active' })
  // After a failed request the list is as old as before.
  const isFetched = rows.every(({ state }) => !state.isInvalidated)
  if (isFetched) show(pending.filter((entry) => !answered.has(entry)))
}

function show(next: readonly Pending[]): void {
  pending = next
  shown = new Map(next.flatMap(({ states }) => [...states]))
  for (const listener of listeners) listener()
}

/** Leaving the page would lose the actions that have not been sent. */
function askFirst(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
