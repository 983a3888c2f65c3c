import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../db/migrate.ts'
import { migrations } from '../../db/migrations/all.ts'
import { openDatabase } from '../../db/open.ts'
import { folderInMemory } from '../memory.ts'

declare module 'vitest' {
  interface ProvidedContext {
    sqlite: { template: string }
  }
}

/** Vitest's global setup: creates a migrated database file that tests copy. Removes the copies, as workers are killed. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(await folderInMemory(), 'alcove-test-'))
  const template = join(folder, 'template.sqlite3')
  const db = await openDatabase({ kind: 'sqlite', file: template })
  await migrate(db, migrations)
  await db.close()
  provide('sqlite', { template })
  return () => rm(folder, { recursive: true, force: true })
}
