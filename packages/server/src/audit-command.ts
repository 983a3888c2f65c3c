import { databaseOptions } from './app.ts'
import { pendingMigrations } from './db/migrate.ts'
import { migrations } from './db/migrations/all.ts'
import { readSnapshot } from './db/open.ts'
import { asCommand } from './db/set-aside.ts'
import { verifyAuditEvents } from './domain/audit/verify.ts'
import type { Settings } from './platform/settings/settings.ts'

/** Verifies the audit log, while the server runs or not. Prints the first problem and returns false when there is one. */
export function runAuditCommand(settings: Settings): Promise<boolean> {
  return readSnapshot(asCommand(databaseOptions(settings)), async (db) => {
    const [pending] = await pendingMigrations(db, migrations)
    if (pending) throw new Error('the schema is older than this program; run alcove migrate first')
    const { verified, end, problem } = await verifyAuditEvents(db)
    if (problem !== undefined) {
      console.error(`alcove: ${problem}; ${verified} events before it are intact`)
      return false
    }
    console.log(
      `${verified} audit events verified. The chain ends at position ${end.position} with the hash ${end.hash}.`,
    )
    return true
  })
}
