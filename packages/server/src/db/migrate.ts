import sql from 'sql-template-tag'
import type { Database, Db, Dialect } from './db.ts'
import { type SchemaOwner, type ScriptRunner, withScripts } from './engine.ts'

/**
 * Migration of the schema. `up` returns a script that runs in one transaction (on SQLite with foreign keys enforced;
 * `pragma defer_foreign_keys = on` in the script defers the check). Names are numbered and sorted: `0001_first`. A
 * released migration is never changed, moved or removed.
 */
export interface Migration {
  name: string
  up(engine: Dialect['engine']): string
  /** Former migrations with the same result. A database that has some of them gets the rest of them instead. */
  replaces?: readonly Migration[]
}

/**
 * Runs the pending migrations and returns their names. Safe to run in several processes concurrently. If
 * `readSchemaScript` returns a script, it fills an empty SQLite database in place of the migrations.
 */
export async function migrate(
  db: Database,
  migrations: readonly Migration[],
  readSchemaScript: () => string | undefined = () => undefined,
): Promise<string[]> {
  const applied: string[] = []
  if (db.dialect.engine === 'sqlite' && (await listApplied(db)).length === 0) {
    const script = readSchemaScript()
    if (script !== undefined) {
      applied.push(...(await db.transaction((tx) => createSchema(withScripts(tx), migrations, script))))
    }
  }
  for (const migration of await pendingMigrations(db, migrations)) {
    const ran = await db.transaction((tx) => apply(withScripts(tx), migration, migrations))
    if (ran) applied.push(migration.name)
  }
  // `openDatabase` returns both interfaces, of which `Database` exposes one.
  if (applied.length > 0) await (db as Database & SchemaOwner).schemaChanged()
  return applied
}

/** Returns the pending migrations. Throws when a newer version used the database or its migrations are inconsistent. */
export async function pendingMigrations(db: Db, squashed: readonly Migration[]): Promise<Migration[]> {
  const applied = await listApplied(db)
  const migrations = squashed.flatMap((migration) =>
    migration.replaces?.some(({ name }) => applied.includes(name)) ? migration.replaces : [migration],
  )
  assertSorted(migrations)
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = applied.filter((name) => !known.has(name))
  if (unknown.length > 0) {
    throw new Error(
      `the database has migrations this program does not know (${unknown.join(', ')}): ` +
        'it was used by a newer version; run that version, or restore a backup from before',
    )
  }
  const pending = migrations.slice(applied.length)
  const skipped = migrations.slice(0, applied.length).find(({ name }) => !applied.includes(name))
  if (skipped) {
    throw new Error(
      `migration ${skipped.name} is missing from the database although later ones were applied: ` +
        'migrations are only ever appended',
    )
  }
  return pending
}

/** Returns the names of the applied migrations. Throws when they are not those of this program or an older one. */
export async function appliedMigrations(db: Db, migrations: readonly Migration[]): Promise<string[]> {
  await pendingMigrations(db, migrations)
  return listApplied(db)
}

/** Returns the migrations that give an empty database the schema of one with the applied ones. */
export function migrationsUpTo(applied: readonly string[], migrations: readonly Migration[]): Migration[] {
  const known = migrations.filter(
    ({ name, replaces = [] }) =>
      applied.includes(name) || (replaces.length > 0 && replaces.every((former) => applied.includes(former.name))),
  )
  const names = new Set(known.flatMap(({ name, replaces = [] }) => [name, ...replaces.map((former) => former.name)]))
  const unknown = applied.filter((name) => !names.has(name))
  if (unknown.length === 0) return known
  throw new Error(
    `it has migrations from which this program cannot start (${unknown.join(', ')}): ` +
      'use the version that wrote it, or a newer one',
  )
}

/** Fills an empty database from the script, and records all migrations as applied. Returns no names if it is not empty. */
async function createSchema(
  tx: Db & ScriptRunner,
  migrations: readonly Migration[],
  schemaScript: string,
): Promise<string[]> {
  if (await tx.one(sql`select name from sqlite_master limit 1`)) return []
  await createMigrationTable(tx)
  await tx.script(schemaScript)
  for (const migration of migrations) await recordApplied(tx, migration)
  return migrations.map(({ name }) => name)
}

/** Runs a migration. Returns false when another process has already run it. */
async function apply(tx: Db & ScriptRunner, migration: Migration, migrations: readonly Migration[]): Promise<boolean> {
  const { engine } = tx.dialect
  // The lock is held until the transaction ends. On SQLite the transaction itself is a lock.
  if (engine === 'postgres')
    await tx.script(
      `set local statement_timeout = 0; set local lock_timeout = 0; select pg_advisory_xact_lock(${lockKey})`,
    )
  await createMigrationTable(tx)
  if (!(await pendingMigrations(tx, migrations)).includes(migration)) return false
  await tx.script(migration.up(engine))
  if (engine === 'sqlite') await assertReferences(tx, migration)
  await recordApplied(tx, migration)
  return true
}

function createMigrationTable(tx: Db & ScriptRunner): Promise<void> {
  return tx.script(
    `create table if not exists schema_migrations (
      name text primary key, applied_at ${tx.dialect.engine === 'postgres' ? 'timestamptz(3)' : 'text'} not null)`,
  )
}

async function recordApplied(tx: Db, { name }: Migration): Promise<void> {
  const now = new Date().toISOString()
  await tx.run(sql`insert into schema_migrations (name, applied_at) values (${name}, ${now})`)
}

/** Arbitrary number of the advisory lock. It must never change. */
const lockKey = 7_203_118_452

async function listApplied(db: Db): Promise<string[]> {
  const table = await db.one<{ found: unknown }>(
    db.dialect.engine === 'postgres'
      ? sql`select to_regclass('schema_migrations') as found`
      : sql`select max(name) as found from sqlite_master where name = 'schema_migrations'`,
  )
  if (!table?.found) return []
  const rows = await db.all<{ name: string }>(sql`select name from schema_migrations`)
  return rows.map(({ name }) => name).sort()
}

/** Checks existing rows, because SQLite does not check them when a reference is added. */
async function assertReferences(tx: Db, migration: Migration): Promise<void> {
  const broken = await tx.one<{ table: string; parent: string }>(sql`select * from pragma_foreign_key_check limit 1`)
  if (broken) throw new Error(`${migration.name} leaves rows of ${broken.table} without their ${broken.parent}`)
}

function assertSorted(migrations: readonly Migration[]): void {
  migrations.forEach(({ name }, index) => {
    const before = migrations[index - 1]?.name
    if (before !== undefined && before >= name) throw new Error(`migration ${name} stands after ${before}`)
  })
}
