import { depsFrom, openDatabaseFor, openObjectsFor } from './app.ts'
import { pendingMigrations } from './db/migrate.ts'
import { migrations } from './db/migrations/all.ts'
import type { RootDeps } from './domain/deps.ts'
import { removeAllSecondFactors } from './domain/second-factors/second-factors.ts'
import { logSecurity } from './domain/sign-in/security-log.ts'
import type { User } from './domain/users/user.ts'
import { findUserByReference } from './domain/users/users.ts'
import type { Settings } from './platform/settings/settings.ts'

/** What an operator does for a user on the server, without credentials of that user. */
export interface AdminCommand {
  action: 'disable-two-factor'
  /** Username or id. */
  user: string
}

/** Runs the command. Returns false when it could do nothing for the user. */
export async function runAdminCommand(settings: Settings, { user: reference }: AdminCommand): Promise<boolean> {
  const db = await openDatabaseFor(settings)
  const deps = depsFrom(settings, db, await openObjectsFor(settings))
  try {
    const [pending] = await pendingMigrations(db, migrations)
    if (pending) throw new Error('the schema is older than this program; run alcove migrate first')
    const user = await findUserByReference(deps, reference)
    if (!user) throw new Error(`there is no user ${reference}`)
    return await disableTwoFactorOf(deps, user)
  } finally {
    await deps.db.close()
    await deps.objects.close()
  }
}

/** Removes all second factors, so that the user signs in with the password alone. */
async function disableTwoFactorOf(deps: RootDeps, user: User): Promise<boolean> {
  const wasEnabled = await removeAllSecondFactors(deps, user)
  if (!wasEnabled) {
    console.log(`${user.username} has no second factor.`)
    return false
  }
  logSecurity(deps, 'second_factor.removed', { user, reason: 'by the command' })
  console.log(`The second factors of ${user.username} are removed. The password alone signs in.`)
  return true
}
