import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../packages/server/src/db/migrate.ts'
import { migrations } from '../packages/server/src/db/migrations/all.ts'
import { openDatabase } from '../packages/server/src/db/open.ts'
import { schemaScriptOf } from '../packages/server/src/db/sqlite/schema-script.ts'
import { storeSchema } from '../packages/server/src/db/sqlite/stored-schema.ts'

/**
 * Stores the schema of a new SQLite database beside the program, so that a first start does not run all migrations. The
 * program works without it, as on a machine without SQLite, so an error is only printed.
 */
export async function storeSchemaScript(dist: string): Promise<void> {
  try {
    await store(dist)
  } catch (error) {
    console.error(`build: no schema was stored, so the first start with SQLite takes longer: ${error}`)
  }
}

async function store(dist: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'alcove-build-'))
  try {
    const db = await openDatabase({ kind: 'sqlite', file: join(folder, 'alcove.sqlite3') })
    try {
      await migrate(db, migrations)
      storeSchema(dist, migrations, await schemaScriptOf(db))
    } finally {
      await db.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
