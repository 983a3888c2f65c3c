import { hash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'

/** CPU time of this process in milliseconds. */
export interface ImportCeiling {
  first: number
  again: number
}

interface Row {
  key: string
  digest: string
  name: string
  severity: string
  location: string
  raw: string
}

/** Stores rows in one transaction, or compares them with the stored ones. */
interface BareTable {
  insert(rows: readonly Row[]): Promise<void>
  digests(keys: readonly string[]): Promise<Map<string, string>>
  close(): Promise<void>
}

const table = `bench_import_ceiling (
  id integer primary key, key text not null unique, digest text not null, name text, severity text, location text,
  raw text not null)`

/**
 * Measures what an import costs at least: parses the report as a whole, hashes each entry and stores it with a bare
 * driver in one transaction. The second time compares the hashes and writes nothing.
 */
export async function measureImportCeiling(text: string, databaseUrl: string | undefined): Promise<ImportCeiling> {
  const open = databaseUrl === undefined ? openSqlite() : openPostgres(databaseUrl)
  const bare = await open
  try {
    return {
      first: await cpuOf(() => bare.insert(readRows(text))),
      again: await cpuOf(async () => {
        const rows = readRows(text)
        const known = await bare.digests(rows.map(({ key }) => key))
        if (rows.some(({ key, digest }) => known.get(key) !== digest)) throw new Error('the rows were not stored')
      }),
    }
  } finally {
    await bare.close()
  }
}

async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

interface Entry {
  id: string
  name?: string
  severity?: string
  location: object
}

function readRows(text: string): Row[] {
  const { vulnerabilities } = JSON.parse(text) as { vulnerabilities: Entry[] } // by the generator of the report
  return vulnerabilities.map((entry) => {
    const raw = JSON.stringify(entry)
    const { id, name = '', severity = '', location } = entry
    return { key: hash('sha1', id), digest: hash('sha1', raw), name, severity, location: JSON.stringify(location), raw }
  })
}

async function openSqlite(): Promise<BareTable> {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-bench-ceiling-'))
  const db = new Sqlite(join(folder, 'bare.sqlite3'))
  db.pragma('journal_mode = wal')
  db.exec(`create table ${table}`)
  return {
    async insert(rows) {
      const insert = db.prepare(`
        insert or ignore into bench_import_ceiling (key, digest, name, severity, location, raw) values (?, ?, ?, ?, ?, ?)`)
      db.transaction(() => {
        for (const { key, digest, name, severity, location, raw } of rows) {
          insert.run(key, digest, name, severity, location, raw)
        }
      })()
    },
    async digests(keys) {
      const find = db.prepare('select digest from bench_import_ceiling where key = ?').pluck()
      return new Map(keys.map((key) => [key, String(find.get(key))]))
    },
    async close() {
      db.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const rowsAtOnce = 500

async function openPostgres(url: string): Promise<BareTable> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('drop table if exists bench_import_ceiling')
  await client.query(`create table ${table.replace('id integer primary key', 'id bigserial primary key')}`)
  return {
    async insert(rows) {
      await client.query('begin')
      for (let start = 0; start < rows.length; start += rowsAtOnce) {
        await client.query(
          `insert into bench_import_ceiling (key, digest, name, severity, location, raw)
           select * from json_to_recordset($1::json)
             as r(key text, digest text, name text, severity text, location text, raw text)
           on conflict do nothing`,
          [JSON.stringify(rows.slice(start, start + rowsAtOnce))],
        )
      }
      await client.query('commit')
    },
    async digests(keys) {
      const known = new Map<string, string>()
      for (let start = 0; start < keys.length; start += rowsAtOnce) {
        const { rows } = await client.query<{ key: string; digest: string }>(
          'select key, digest from bench_import_ceiling where key = any($1)',
          [keys.slice(start, start + rowsAtOnce)],
        )
        for (const { key, digest } of rows) known.set(key, digest)
      }
      return known
    },
    async close() {
      await client.query('drop table bench_import_ceiling')
      await client.end()
    },
  }
}
