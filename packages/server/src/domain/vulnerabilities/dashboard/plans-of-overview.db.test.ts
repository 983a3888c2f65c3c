import sql, { raw, type Sql } from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../../db/db.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'
import { listAssigned, listFailedImports } from '../../notifications/inbox/inbox-queries.ts'
import { searchUploads } from '../../uploads/search/upload-search-queries.ts'
import {
  findLastBulk,
  findLastSingle,
  listBulkActivity,
  listImportActivity,
  listSingleDecisions,
} from './activity-queries.ts'
import { listScannerReports } from './coverage-queries.ts'
import { listSilentScanners } from './dashboard-queries.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  const { id } = await server.project('acme/site')
  const { db } = server.deps
  const rows = Array.from({ length: 3000 }, (_, index) => ({ name: `file ${index} ${index * 7919}.txt` }))
  await db.run(sql`
    insert into uploads (project_id, secret, filename, bytes, sha256, object_key, created_at)
    select ${id}, r.name, r.name, 1, '', r.name, ${server.deps.now()}
    from ${db.dialect.records(rows, { name: 'text' })} as r where true`)
  // Entries that wait to be sorted into the index make it look dear.
  if (db.dialect.engine === 'postgres') await db.one(sql`select gin_clean_pending_list('uploads_filename_trigrams')`)
  await db.run(sql`analyze uploads`)
})

/** Ways to read and to sort that PostgreSQL leaves out where an index has the rows in their order. */
const inOrder = ['seqscan', 'sort', 'bitmapscan']
/** Those that it leaves out so that it uses an index of parts of words, which has no order. */
const byParts = ['seqscan', 'indexscan', 'indexonlyscan']

/** Returns the plans of the statements, without some ways to read, which PostgreSQL prefers for short tables. */
async function plansOf(read: (db: Db) => Promise<unknown>, without: readonly string[]): Promise<string> {
  const plans: string[] = []
  await server.deps.db.transaction(async (db) => {
    const isSqlite = db.dialect.engine === 'sqlite'
    for (const way of isSqlite ? [] : without) await db.run(sql`set local ${raw(`enable_${way}`)} = off`)
    const explain = async (statement: Sql) => {
      const rows = await db.all<object>(sql`${raw(isSqlite ? 'explain query plan' : 'explain')} ${statement}`)
      plans.push(rows.map((row) => Object.values(row).join(' ')).join('\n'))
    }
    const explained: Db = {
      ...db,
      dialect: db.dialect,
      async all(statement) {
        await explain(statement)
        return []
      },
      async one(statement) {
        await explain(statement)
        return undefined
      },
    }
    await read(explained)
  })
  return plans.join('\n')
}

const after = { time: '2026-01-31T00:00:00.000Z', id: 7 }
const period = { after: '2026-01-01T00:00:00.000Z', before: '2026-01-31T00:00:00.000Z' }
const few = [1, 2, 3]
const many = Array.from({ length: 300 }, (_, index) => index + 1)
const member = { userId: 7, level: 40, today: '2026-01-31' }
const failed = { userId: 7, since: period.after }
const fileIndex = /uploads_search VIRTUAL TABLE INDEX|Bitmap Index Scan on uploads_filename_trigrams/
const terms = ['network', 'plan']
const range = { above: 0, upTo: 3000 }

/** Reads of a whole table; `found`, `h`, `b` and `n` are results of subqueries. */
const wholeTable =
  /SCAN (i|c|vulnerabilities|uploads|scans|imports)(?= |$)(?! USING)|Seq Scan on (imports|scans|scanners|uploads|vulnerabilit\w+|findings)\b/m

describe('statements of the overview read their tables by an index', () => {
  test.each<[name: string, read: (db: Db) => Promise<unknown>, index: RegExp, without?: readonly string[]]>([
    ['imports of few projects', (db) => listImportActivity(db, few, { after }, 31), /imports_with_changes/],
    ['imports of many projects', (db) => listImportActivity(db, many, { after }, 31), /imports_with_changes\b/],
    ['held absences', (db) => listImportActivity(db, many, { after, held: 'only' }, 31), /imports_with_absences/],
    ['bulk changes', (db) => listBulkActivity(db, few, { after }), /vulnerability_bulk_changes_by_time/],
    ['the last bulk change', (db) => findLastBulk(db, { after }), /vulnerability_bulk_changes_by_time/],
    ['decisions', (db) => listSingleDecisions(db, few, { after }), /vulnerability_history_decisions/],
    ['the last decision', (db) => findLastSingle(db, { after }), /vulnerability_history_decisions/],
    ['coverage', (db) => listScannerReports(db, few), /scans_by_type/],
    ['silent scanners', (db) => listSilentScanners(db, few, period), /scans_by_time/],
    ['assigned vulnerabilities', (db) => listAssigned(db, few, 7, 50), /assignee/],
    ['failed imports', (db) => listFailedImports(db, few, failed, 50), /imports_failed_of_user/],
    ['files by name', (db) => searchUploads(db, { terms, member: undefined }, range, 21), fileIndex, byParts],
    ['files of a member by name', (db) => searchUploads(db, { terms, member }, range, 21), fileIndex, byParts],
  ])('%s', async (_, read, index, without = inOrder) => {
    const plan = await plansOf(read, without)
    expect(plan).toMatch(index)
    expect(plan).not.toMatch(wholeTable)
  })
})
