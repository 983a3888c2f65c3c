import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Database } from '../../packages/server/src/db/db.ts'
import { migrate } from '../../packages/server/src/db/migrate.ts'
import { migrations } from '../../packages/server/src/db/migrations/all.ts'
import { openDatabase } from '../../packages/server/src/db/open.ts'
import { startPostgres } from '../../packages/server/src/testing/databases/postgres.ts'
import type { Options, Sizes } from '../options.ts'
import { seed } from './seed.ts'

/** A seeded database that later runs reuse. */
export interface Dataset {
  /** Settings of a server that serves it. */
  env: Readonly<Record<string, string>>
  sizes: Sizes
  /** Allowed only while no server runs, because SQLite serves one process. */
  open(): Promise<Database>
  close(): Promise<void>
}

/** Opens the data set of an earlier run, or seeds it. A data set with another schema is replaced. */
export async function openDataset({ engine, sizes }: Pick<Options, 'engine' | 'sizes'>): Promise<Dataset> {
  const folder = join(tmpdir(), `alcove-bench-${engine}-${fingerprint(sizes)}`)
  const data = join(folder, 'data')
  await mkdir(data, { recursive: true })
  await chmod(folder, 0o755) // PostgreSQL may run as another user
  const env = { ALCOVE_DATA: data }
  const seededFile = join(folder, 'seeded.json')
  if (engine === 'sqlite') {
    const open = () => openDatabase({ kind: 'sqlite', file: join(data, 'alcove.sqlite3') })
    await ensureSeeded(open, seededFile, sizes, () => rm(data, { recursive: true }).then(() => mkdir(data)))
    return { env, sizes, open, close: async () => {} }
  }

  const server = await startPostgres({ data: join(folder, 'postgres'), settings: postgresSettings })
  try {
    const url = new URL(server.url)
    url.pathname = '/alcove_bench'
    const open = () => openDatabase({ kind: 'postgres', url: url.href })
    const isFresh = await ensureSeeded(open, seededFile, sizes, async () => {
      await command(server.url, 'drop database if exists alcove_bench with (force)')
      await command(server.url, 'create database alcove_bench')
    })
    // Autovacuum would do this after some time.
    if (isFresh) await command(url.href, 'vacuum analyze')
    return { env: { ...env, ALCOVE_DATABASE_URL: url.href }, sizes, open, close: server.stop }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Returns true if the database had to be seeded. A file records its migrations; only newer ones may be added. */
async function ensureSeeded(
  open: () => Promise<Database>,
  seededFile: string,
  sizes: Sizes,
  makeEmpty: () => Promise<void>,
): Promise<boolean> {
  const applied = existsSync(seededFile) ? (JSON.parse(await readFile(seededFile, 'utf8')) as string[]) : []
  const isOfUse = applied.length > 0 && applied.every((script, index) => script === scripts()[index])
  if (!isOfUse) {
    await rm(seededFile, { force: true })
    await makeEmpty()
  }
  const db = await open()
  try {
    await migrate(db, migrations)
    if (!isOfUse) await seed(db, sizes)
    await writeFile(seededFile, JSON.stringify(scripts()))
    return !isOfUse
  } finally {
    await db.close()
  }
}

const scripts = () => migrations.map((migration) => fingerprint([migration.up('sqlite'), migration.up('postgres')]))

/** Must change when the seeded rows change. */
const seedingVersion = 5

function fingerprint(what: unknown): string {
  return createHash('sha1')
    .update(JSON.stringify([seedingVersion, what]))
    .digest('hex')
    .slice(0, 10)
}

/** Typical settings for a machine with little memory. */
export const postgresSettings = {
  listen_addresses: '',
  max_connections: '100', // four processes use up to 56
  shared_buffers: '256MB',
  dynamic_shared_memory_type: 'mmap',
  max_wal_size: '2GB',
}

export async function command(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
