import sql, { raw, type Sql } from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import type { Db } from '../../../db/db.ts'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../../testing/server.ts'
import type { Cursor, ListOrder } from '../../findings/list/cursor.ts'
import { listFacetCounts } from './facet-count-queries.ts'
import { type FacetRange, listFromRanges } from './list-queries.ts'

let db: Db
let projectId: number
/** A project with 120 scanners. */
let otherId: number
beforeAll(async () => {
  const server = await startServer()
  db = server.deps.db
  projectId = (await server.project('acme/site')).id
  otherId = (await server.project('acme/other')).id
  const rows = Array.from(
    { length: 16_000 },
    (_, id): MadeUp => ({
      ...usual,
      id: id + 1,
      ...(id < 12_000 ? { projectId } : { projectId: otherId, scanner: `scanner-${id % 120}` }),
      state: id % 2 ? 'detected' : 'confirmed',
      isKev: id % 3 === 0,
      hasFix: id % 5 === 0,
    }),
  )
  await insertMadeUp(db, rows, server.deps.now())
  // Without statistics PostgreSQL would expect one row and sort it.
  await db.run(sql`analyze vulnerabilities`)
})

test.each([undefined, { severity: 5, sortKey: 40, id: 9_000 }])(
  'a page of a list by priority after %j is read from its index and not sorted',
  async (after) => {
    const ranges = (await listFacetCounts(db, [projectId])).map((count) => ({ ...count, facets: count }))
    const order = { key: { sql: 'priority', type: 'number' }, id: 'desc' } as const
    const plan = await firstPlan(ranges, order, after)
    if (db.dialect.engine === 'sqlite') {
      expect(plan).not.toMatch(/TEMP B-TREE|USING INDEX (?!vulnerabilities_by_priority)/)
      if (after) expect(plan).toMatch(/<expr>=\? AND priority=\? AND id<\?\)[\s\S]*<expr>=\? AND priority<\?\)/)
    } else {
      expect(plan).toMatch(/Merge Append/)
      expect(plan).toMatch(/Scan Backward using vulnerabilities_by_priority/)
      expect(plan).not.toMatch(/using (?!vulnerabilities_by_priority)|Sort {2}\(/)
    }
  },
)

const byPriority = { key: { sql: 'priority', type: 'number' }, id: 'desc' } as const

test.each([
  ['vulnerabilities_by_priority', byPriority, undefined],
  ['vulnerabilities_by_priority', byPriority, { severity: 5, sortKey: 40, id: 9_000 }],
  ['vulnerabilities_by_facets', { id: 'desc' } as const, undefined],
  ['vulnerabilities_by_facets', { id: 'asc' } as const, { severity: 5, id: 9_000 }],
])('the first row of each of many ranges is found in one step in %s by %j after %j', async (index, order, after) => {
  const ranges = (await listFacetCounts(db, [otherId])).map((count) => ({ ...count, facets: count }))
  expect(ranges.length).toBeGreaterThan(100)
  const plan = await firstPlan(ranges, order, after)
  const isSqlite = db.dialect.engine === 'sqlite'
  expect(plan).toMatch(
    new RegExp(isSqlite ? `USING (?:COVERING )?INDEX ${index} ` : `Scan (?:Backward )?using ${index} `),
  )
  expect(plan).not.toMatch(isSqlite ? /SCAN vulnerabilities|TEMP B-TREE/ : /Seq Scan|Sort {2}\(/)
})

/** Returns the plan of the first statement that reads these ranges. */
async function firstPlan(ranges: readonly FacetRange[], order: ListOrder, after: Cursor | undefined): Promise<string> {
  const plans: string[] = []
  const explained: Db = {
    ...db,
    async all(query: Sql) {
      const explain = raw(db.dialect.engine === 'sqlite' ? 'explain query plan' : 'explain')
      const rows = await db.all<object>(sql`${explain} ${query}`)
      plans.push(rows.map((row) => Object.values(row).join(' ')).join('\n'))
      return []
    },
  }
  await listFromRanges(explained, [ranges], order, { after, offset: 0, limit: 21 })
  return plans[0] ?? ''
}
