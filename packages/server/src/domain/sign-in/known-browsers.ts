import { hash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import {
  deleteKnownBrowsersBefore,
  deleteOldestKnownBrowsers,
  findKnownBrowserUsers,
  upsertKnownBrowser,
} from './known-browser-queries.ts'

/** Number of days that a browser stays known after its last sign-in. */
export const knownBrowserDays = 180
const dayMs = 24 * 60 * 60 * 1000
const maxKnownBrowsers = 20

/**
 * Returns the users who have signed in from the browser that sends this secret. Wrong passwords from a known browser are
 * counted separately, so that an attacker's guesses cannot lock users out of their own browsers.
 */
export async function usersKnownTo(deps: Deps, secret: string | undefined): Promise<ReadonlySet<number>> {
  if (secret === undefined) return new Set()
  return new Set(await findKnownBrowserUsers(deps.db, digestBrowser(secret)))
}

/** Records a sign-in. Returns the browser's secret, and creates one if the browser has none. */
export async function recordKnownBrowser(deps: Deps, userId: number, known: string | undefined): Promise<string> {
  const secret = known !== undefined && isSecret(known) ? known : deps.random(32).toString('base64url')
  await upsertKnownBrowser(deps.db, userId, digestBrowser(secret), deps.now())
  await deleteOldestKnownBrowsers(deps.db, userId, maxKnownBrowsers)
  return secret
}

export async function removeOldBrowsers(deps: Deps): Promise<void> {
  const oldest = new Date(Date.parse(deps.now()) - knownBrowserDays * dayMs).toISOString()
  await deleteKnownBrowsersBefore(deps.db, oldest)
}

export function digestBrowser(secret: string): string {
  return hash('sha256', secret)
}

function isSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}
