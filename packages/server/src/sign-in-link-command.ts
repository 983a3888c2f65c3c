import { randomBytes } from 'node:crypto'
import { databaseOptions } from './app.ts'
import { pendingMigrations } from './db/migrate.ts'
import { migrations } from './db/migrations/all.ts'
import { writeBesideServer } from './db/open.ts'
import { asCommand } from './db/set-aside.ts'
import { createSignInLink, signInLinkMinutes } from './domain/sign-in/sign-in-links.ts'
import { openLog } from './platform/log.ts'
import { instanceUrl, type Settings } from './platform/settings/settings.ts'

/** Prints a link that signs in an administrator once, while the server runs or not. */
export async function runSignInLinkCommand(settings: Settings, login: string): Promise<void> {
  const log = openLog(settings.logLevel, process.stderr.fd)
  const link = await writeBesideServer(asCommand(databaseOptions(settings)), async (db) => {
    const [pending] = await pendingMigrations(db, migrations)
    if (pending) throw new Error('the schema is older than this program; run alcove migrate first')
    return createSignInLink({ db, log, now: () => new Date().toISOString(), random: randomBytes }, login)
  })
  console.log(`This link signs ${link.user.username} in once, within ${signInLinkMinutes} minutes. Keep it secret:

  ${instanceUrl(settings)}/-/sign_in_link#${link.secret}
`)
}
