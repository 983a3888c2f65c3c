import { CommandFailed, exitCodes } from '../exit.ts'
import type { Io } from '../io.ts'
import { retryingFetch } from '../retry.ts'

const retryMs = 20_000
const attemptMs = 30_000

/**
 * Requests an identity token of this job from GitHub Actions, for the server as its audience. Returns `undefined` where
 * the job has no permission to request one.
 */
export async function requestIdToken(io: Io, audience: string): Promise<string | undefined> {
  const address = io.env['ACTIONS_ID_TOKEN_REQUEST_URL']
  const token = io.env['ACTIONS_ID_TOKEN_REQUEST_TOKEN']
  if (!address || !token || !URL.canParse(address)) return undefined
  const url = new URL(address)
  url.searchParams.set('audience', audience)
  const fetch = retryingFetch(io, { retryMs, attemptMs })
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, redirect: 'error' })
  const body: unknown = response.ok ? await response.json() : undefined
  const value = typeof body === 'object' && body !== null && 'value' in body ? body.value : undefined
  if (typeof value === 'string') return value
  throw new CommandFailed(exitCodes.usage, `GitHub Actions did not issue an identity token (${response.status}).`)
}
