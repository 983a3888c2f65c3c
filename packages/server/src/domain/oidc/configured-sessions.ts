import type { Deps } from '../deps.ts'
import { endSessionsNotOf, endSessionsWithPassword } from '../sign-in/sessions.ts'

/**
 * Ends the sessions that could not begin with the settings of today: those of providers that were removed or have another
 * issuer, and those with a password where passwords are turned off. Called at the start.
 */
export async function endUnconfiguredSessions(deps: Deps): Promise<void> {
  const { oidc, hasPasswords } = deps.settings
  await endSessionsNotOf(deps, oidc.providers)
  if (!hasPasswords) await endSessionsWithPassword(deps)
}
