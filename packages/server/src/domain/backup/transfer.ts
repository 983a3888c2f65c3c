import type { Database } from '../../db/db.ts'
import { listDumpTables, readRows, readSequences } from '../../db/dump.ts'
import type { DatabaseOptions } from '../../db/engine.ts'
import { loadRows } from '../../db/load.ts'
import { appliedMigrations, type Migration, migrate, migrationsUpTo } from '../../db/migrate.ts'
import { readSnapshot } from '../../db/open.ts'
import { digestTables } from './verify-backup.ts'

/** Copies all rows into an empty database of the same or another engine, and compares every table. */
export async function transferRows(
  from: DatabaseOptions,
  { db, migrations }: { db: Database; migrations: readonly Migration[] },
): Promise<{ tables: number; differing: string[] }> {
  return readSnapshot(from, async (source) => {
    await migrate(db, migrationsUpTo(await appliedMigrations(source, migrations), migrations))
    const tables = await listDumpTables(source)
    const byName = new Map(tables.map((table) => [table.name, table]))
    await loadRows(db, {
      tables,
      sequences: () => readSequences(source, tables),
      rows({ name }) {
        const table = byName.get(name)
        if (!table) throw new Error(`there is no table ${name}`)
        return readRows(source, table)
      },
    })
    const [before, after] = [await digestTables(source), await digestTables(db)]
    const differing = [...before].flatMap(([name, digest]) => (after.get(name) === digest ? [] : [name]))
    return { tables: tables.length, differing }
  })
}
