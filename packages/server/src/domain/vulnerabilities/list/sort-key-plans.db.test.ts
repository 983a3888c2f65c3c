import sql, { raw, type Sql } from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import type { Db } from '../../../db/db.ts'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../../testing/server.ts'
import { listFacetCounts } from './facet-count-queries.ts'
import { listFromRanges } from './list-queries.ts'

let db: Db
let projectId: number
beforeAll(async () => {
  const server = await startServer()
  db = server.deps.db
  projectId = (await server.project('acme/site')).id
  const rows = Array.from(
    { length: 12_000 },
    (_, id): MadeUp => ({
      ...usual,
      id: id + 1,
      projectId,
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
    const [plan = ''] = plans
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
