import sql from 'sql-template-tag'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../db/migrate.ts'
import { migrations } from '../../db/migrations/all.ts'
import { openDatabase } from '../../db/open.ts'
import { createTestDatabase, startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { url: string; template: string; isSuperuser: boolean }
  }
}

/** Vitest's global setup: starts one PostgreSQL with a migrated template database that every test copies. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres()
  const template = await createTestDatabase(server)
  const db = await openDatabase({ kind: 'postgres', url: template.url })
  await migrate(db, migrations)
  const superuser = await db.one(sql`select from pg_roles where rolname = current_user and rolsuper`)
  await db.close()
  provide('postgres', { url: server.url, template: template.name, isSuperuser: superuser !== undefined })
  return async () => {
    await template.drop()
    await server.stop()
  }
}
