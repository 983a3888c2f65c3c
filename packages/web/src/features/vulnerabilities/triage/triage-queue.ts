import { useSyncExternalStore } from 'react'
import { queries } from '../../../data/api.ts'
import { store } from '../../../data/store.ts'
import type { State } from '../../../nouns/vulnerability/filters.ts'
import { rowsKey } from '../grid/row-queries.ts'

/** Optimistic state of a row that a queued action will change. */
export interface OptimisticState {
  state: State
  dismissalReason: string | null
}

/** Queued action. Its states override those of the list until the list is refetched after the response. */
interface Pending {
  states: ReadonlyMap<number, OptimisticState>
  isResolved: boolean
}

// Outside React state: actions continue while the user opens other pages.
const pending = store.slot<readonly Pending[]>(() => [])
const shown = store.slot<ReadonlyMap<number, OptimisticState>>(() => new Map())
const last = store.slot<Promise<unknown>>(() => Promise.resolve())
const waiting = store.slot(() => 0)

/** Returns true while an action has no response. */
export function areActionsUnsent(): boolean {
  return waiting.get() > 0
}

/** Resolves when every action has a response, so that messages keep the order of the key presses. */
export const actionsSettled = (): Promise<unknown> => last.get()

/** Returns true while lists show optimistic states. */
export function areActionsPending(): boolean {
  return pending.get().length > 0
}

/** Returns the optimistic states by vulnerability id. */
export function useOptimisticStates(): ReadonlyMap<number, OptimisticState> {
  return useSyncExternalStore(shown.subscribe, shown.get)
}

/**
 * Shows the states immediately and sends the request after all earlier ones, so that two actions on one row reach the
 * server
 * in the order of the key presses.
 */
export function enqueue<T>(states: ReadonlyMap<number, OptimisticState>, send: () => Promise<T>): Promise<T> {
  const entry: Pending = { states, isResolved: false }
  show([...pending.get(), entry])
  waiting.set(waiting.get() + 1)
  addEventListener('beforeunload', confirmLeave)
  const response = last.get().then(send)
  last.set(
    response.then(
      () => settle(entry, true),
      () => settle(entry, false),
    ),
  )
  return response
}

function settle(entry: Pending, isDone: boolean): void {
  show(pending.get().flatMap((one) => (one !== entry ? one : isDone ? { ...one, isResolved: true } : [])))
  waiting.set(waiting.get() - 1)
  if (areActionsUnsent()) return
  removeEventListener('beforeunload', confirmLeave)
  void refresh()
}

/** Refetches all shown data. Until the rows are loaded, they keep the optimistic states of completed actions. */
async function refresh(): Promise<void> {
  const settled = new Set(pending.get().filter(({ isResolved }) => isResolved))
  void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== rowsKey })
  await queries.invalidateQueries({ queryKey: [rowsKey] })
  const rows = queries.getQueryCache().findAll({ queryKey: [rowsKey], type: 'active' })
  // After a failed request the list is still outdated.
  const isFetched = rows.every(({ state }) => !state.isInvalidated)
  if (isFetched) show(pending.get().filter((entry) => !settled.has(entry)))
}

function show(next: readonly Pending[]): void {
  pending.set(next)
  shown.set(new Map(next.flatMap(({ states }) => [...states])))
}

/** Asks before leaving the page, because unsent actions would be lost. */
function confirmLeave(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
