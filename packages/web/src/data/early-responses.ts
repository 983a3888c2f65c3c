import type { Schemas } from '@alcove/client'

/**
 * Responses to the requests that `early.ts` has sent before the code that needs them was there, by URL. Undefined: the
 * response was used, or the request was sent by that code.
 */
export type EarlyResponses = Map<string, Promise<Response> | undefined>

declare global {
  /** Defined by `early.ts`, or here when that script comes too late. */
  var alcoveEarly: EarlyResponses | undefined
}

globalThis.alcoveEarly ??= new Map()

/** Time after the start of the page at which early responses no longer count as fresh. */
const maxAgeMs = 10_000

/** Sends a request unless `early.ts` has sent it. An early response is used once, and never after a change. */
export const fetchOnce: typeof fetch = async (input, init = {}) => {
  const { method = 'GET', signal } = init
  const early = globalThis.alcoveEarly
  if (early === undefined || typeof input !== 'string') return fetch(input, init)
  if (method !== 'GET' || performance.now() > maxAgeMs) early.clear()
  const found = early.get(input)
  early.set(input, undefined)
  if (found === undefined) return fetch(input, init)
  const response = await found
  signal?.throwIfAborted()
  return response
}

/** Forgets early responses, which are those of the user at the start of the page. */
export function forgetEarlyResponses(): void {
  globalThis.alcoveEarly?.clear()
}

/** Present while the pages of this browser are of a user who is signed in. */
const key = 'alcove-signed-in'
export type SignedInKey = typeof key

/** Stores whether the next page may send its first requests before it knows its session. */
export function storeIsSignedIn(state: Pick<Schemas['SessionState'], 'user' | 'must_set_up_second_factor'>): void {
  if (state.user && !state.must_set_up_second_factor) localStorage.setItem(key, 'true')
  else localStorage.removeItem(key)
}
