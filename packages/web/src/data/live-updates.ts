import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

const refreshMs = 30_000
/** How often a refresh that is due checks whether the user is busy. */
const checkMs = 1_000
/** How long after the last input the user counts as busy. */
const restMs = 2_000
/** After so long without input, refreshing stops: it must not keep the session of a forgotten tab alive. */
const forgottenMs = 12 * 60 * 60 * 1000

let lastInputAt = Date.now()
for (const type of ['keydown', 'pointerdown', 'wheel', 'touchmove']) {
  addEventListener(
    type,
    () => {
      lastInputAt = Date.now()
    },
    { capture: true, passive: true },
  )
}

/**
 * Fetches everything that the screen shows again every 30 seconds, as long as the tab is visible and the user is not busy.
 * What is unchanged costs a 304 each: see `cachesGets` of the client.
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
      // What is on its way already is not cancelled: triage waits for its own refresh.
      void client.refetchQueries({ type: 'active', predicate: isShownData }, { cancelRefetch: false })
    }, checkMs)
    return () => clearInterval(timer)
  }, [client])
}

/** The session has its own rules of refreshing. */
function isShownData({ queryKey }: Query): boolean {
  return queryKey[0] !== 'GET /-/session'
}

function isBusy(client: QueryClient): boolean {
  const quietMs = Date.now() - lastInputAt
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
