import sql, { raw, type Sql } from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../../db/db.ts'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'
import { type ListScope, projectScope, type VulnerabilityFilter, type VulnerabilitySort } from '../list/filter.ts'
import { listFlaws } from './flaw-list.ts'

let server: TestServer
let project: ListScope
let both: ListScope
beforeAll(async () => {
  server = await startServer()
  const ids = [(await server.project('acme/one')).id, (await server.project('acme/two')).id]
  const rows = Array.from(
    { length: 24_000 },
    (_, index): MadeUp => ({
      ...usual,
      id: index + 1,
      projectId: ids[index % 8 === 0 ? 1 : 0] ?? 0,
      severity: index % 10 === 0 ? 'critical' : 'low',
      state: index % 3 === 0 ? 'confirmed' : 'detected',
      // Three members each, far from each other.
      flawKey: 1 + (index % 8_000),
    }),
  )
  await insertMadeUp(server.deps.db, rows, server.deps.now())
  project = projectScope(ids[0] ?? 0)
  both = { key: 'both', projectIds: ids }
})

interface Executed {
  query: Sql
  plan: string
  rows: number
}

/** Reads a page, and returns the statements with their plans and numbers of rows. */
async function statementsOf(
  query: { scope: ListScope; filter: VulnerabilityFilter; sort: VulnerabilitySort },
  page: { offset?: number; after?: { severity: number; id: number; sortKey?: number } },
): Promise<Executed[]> {
  const { db } = server.deps
  const isSqlite = db.dialect.engine === 'sqlite'
  const executed: Executed[] = []
  const all: Db['all'] = async (statement) => {
    const rows = await db.all(statement)
    const explained = await db.all<object>(sql`${raw(isSqlite ? 'explain query plan' : 'explain')} ${statement}`)
    const plan = explained.map((row) => Object.values(row).join(' ')).join('\n')
    executed.push({ query: statement, plan, rows: rows.length })
    return rows as never // the rows of the same statement
  }
  const { offset = 0, after } = page
  const request = { page: 1 + offset / 20, perPage: 20, offset, ...(after && { keyset: { after } }) }
  // Nothing is cached, as after a change.
  const changes = { ...db.changes, version: () => undefined }
  const { rows } = await listFlaws({ ...server.deps, db: { ...db, all, changes } }, query, request)
  expect(rows).toHaveLength(20)
  return executed
}

const scopes = () => [project, both]
const far = { severity: 4, id: 20_000 }

describe.each(['without statistics', 'with statistics'])('a page of flaws of a long list, %s', (statistics) => {
  beforeAll(async () => {
    if (statistics === 'with statistics') await server.deps.db.run(sql`analyze`)
  })

  test.each<[string, VulnerabilityFilter, VulnerabilitySort, Parameters<typeof statementsOf>[1]]>([
    ['the first page', {}, 'severity_desc', {}],
    ['a page after a cursor', {}, 'severity_desc', { after: far }],
    ['a page of some states after a cursor', { states: ['detected'] }, 'severity_desc', { after: far }],
    ['a page by priority', {}, 'priority_desc', {}],
    ['an ascending page', {}, 'severity_asc', {}],
    ['a page of a frequent filter after a cursor', { notOnRef: 'other' }, 'severity_desc', { after: far }],
  ])('%s reads few rows, each by an index', async (_, filter, sort, page) => {
    for (const scope of scopes()) {
      const executed = await statementsOf({ scope, filter, sort }, page)
      // That such a list is long is known after 2,000 rows, and cached.
      const limit = filter.notOnRef ? 10_000 : 1_000
      expect(executed.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(limit)
      for (const { query, plan } of executed) {
        expect(plan, `${query.text}\n${plan}`).not.toMatch(
          server.deps.db.dialect.engine === 'sqlite'
            ? /SCAN (?:vulnerabilities|findings|[vcf])\b/
            : /Seq Scan on (?:vulnerabilities|findings)/,
        )
      }
    }
  })

  test('an order that depends on all rows is refused before they are read', async () => {
    for (const scope of scopes()) {
      const request = { page: 1, perPage: 20, offset: 0 }
      for (const sort of ['count_desc', 'count_asc'] as const) {
        const listed = listFlaws(server.deps, { scope, filter: {}, sort }, request)
        await expect(listed).rejects.toThrow('sort by count is possible for lists of up to 10,000 vulnerabilities')
        const filter = { flaws: [2, 3, 4] }
        expect(await listFlaws(server.deps, { scope, filter, sort }, request)).toMatchObject({ total: 3 })
      }
    }
  })

  test('the members that precede a row are sought by their flaw', async () => {
    const isSqlite = server.deps.db.dialect.engine === 'sqlite'
    for (const scope of scopes()) {
      const executed = await statementsOf(
        { scope, filter: { states: ['detected'] }, sort: 'severity_desc' },
        { after: far },
      )
      const [seek] = executed.filter(({ query }) => query.text.includes('v.flaw_key = c.flaw_key'))
      expect(seek?.plan).toMatch(
        !isSqlite
          ? /Scan (?:using|on) vulnerabilities_(?:by|of)_flaw[\s\S]*Index Cond: \(.*flaw_key = c\.flaw_key/
          : scope === project
            ? /SEARCH v USING COVERING INDEX vulnerabilities_by_flaw \(project_id=\? AND flaw_key=\? AND/
            : /SEARCH v USING INDEX vulnerabilities_of_flaw \(flaw_key=\?\)/,
      )
    }
  })
})
