import { type Query, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { store } from './store.ts'

const refreshMs = 30_000
/** Interval at which a due refresh checks whether the user is busy. */
const checkMs = 1_000
/** Time after the last input during which the user counts as busy. */
const restMs = 2_000
/** Time without input after which refreshing stops, so that an abandoned tab does not keep its session alive. */
const forgottenMs = 12 * 60 * 60 * 1000

const lastInputAt = store.slot(Date.now)
for (const type of ['keydown', 'pointerdown', 'wheel', 'touchmove']) {
  addEventListener(type, () => lastInputAt.set(Date.now()), { capture: true, passive: true })
}

interface LiveOptions {
  isPaused?: () => boolean
  /** Queries that are not refetched. `update` is called instead. */
  held?: { has: (key: QueryKey) => boolean; update: () => void }
}

/**
 * Refetches all shown data every 30 seconds while the tab is visible and the user is not busy. Unchanged data costs
 * one 304 response per query: see `cache` of the client.
 */
export function useLiveUpdates(options: LiveOptions = {}): void {
  const client = useQueryClient()
  const latest = useRef(options)
  latest.current = options
  useEffect(() => {
    let dueAt = Date.now() + refreshMs
    const timer = setInterval(() => {
      const { isPaused, held } = latest.current
      if (Date.now() < dueAt || isBusy(client) || isPaused?.()) return
      dueAt = Date.now() + refreshMs
      const predicate = ({ queryKey }: Query) => isShownData(queryKey) && !held?.has(queryKey)
      // Does not cancel requests in flight: triage waits for its own refresh.
      void client.refetchQueries({ type: 'active', predicate }, { cancelRefetch: false })
      held?.update()
    }, checkMs)
    return () => clearInterval(timer)
  }, [client])
}

/** Excludes the session, which is refreshed by its own rules. */
function isShownData(queryKey: QueryKey): boolean {
  return queryKey[0] !== 'GET /-/session'
}

function isBusy(client: QueryClient): boolean {
  const quietMs = Date.now() - lastInputAt.get()
  return (
    document.visibilityState !== 'visible' ||
    quietMs < restMs ||
    quietMs > forgottenMs ||
    client.isMutating() > 0 ||
    document.querySelector('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]') !== null ||
    getSelection()?.type === 'Range' ||
    isWriting(document.activeElement)
  )
}

function isWriting(element: Element | null): boolean {
  if (element instanceof HTMLTextAreaElement) return element.value !== ''
  return element instanceof HTMLInputElement && element.type !== 'checkbox' && element.value !== ''
}
