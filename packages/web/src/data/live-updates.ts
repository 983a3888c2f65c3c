import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
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

/**
 * Refetches all shown data every 30 seconds while the tab is visible and the user is not busy. Unchanged data costs
 * one 304
 * response per query: see `cache` of the client.
 */
export function useLiveUpdates({ isPaused }: { isPaused?: () => boolean } = {}): void {
  const client = useQueryClient()
  const paused = useRef(isPaused)
  paused.current = isPaused
  useEffect(() => {
    let dueAt = Date.now() + refreshMs
    const timer = setInterval(() => {
      if (Date.now() < dueAt || isBusy(client) || paused.current?.()) return
      dueAt = Date.now() + refreshMs
      // Does not cancel requests in flight: triage waits for its own refresh.
      void client.refetchQueries({ type: 'active', predicate: isShownData }, { cancelRefetch: false })
    }, checkMs)
    return () => clearInterval(timer)
  }, [client])
}

/** Excludes the session, which is refreshed by its own rules. */
function isShownData({ queryKey }: Query): boolean {
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
