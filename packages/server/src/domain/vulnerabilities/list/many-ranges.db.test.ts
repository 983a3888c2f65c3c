import sql, { type Sql } from 'sql-template-tag'
import { expect, test } from 'vitest'
import type { Db } from '../../../db/db.ts'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../../testing/server.ts'
import { listFacetCounts } from './facet-count-queries.ts'
import { listFromRanges } from './list-queries.ts'

test('a page of more index ranges than a statement reads has the same rows as one list of them all', async () => {
  const server = await startServer()
  const { db } = server.deps
  const project = await server.project('acme/site')
  const rows = Array.from(
    { length: 600 },
    (_, index): MadeUp => ({ ...usual, id: index + 1, projectId: project.id, scanner: `scanner-${(index * 7) % 230}` }),
  )
  await insertMadeUp(db, rows, server.deps.now())
  const ranges = (await listFacetCounts(db, [project.id])).map((count) => ({ ...count, facets: count }))
  expect(ranges).toHaveLength(230)

  const ids = rows.map(({ id }) => id)
  for (const direction of ['asc', 'desc'] as const) {
    const ordered = direction === 'asc' ? ids : ids.toReversed()
    for (const [after, offset, limit] of [
      [0, 0, 21],
      [0, 400, 21],
      [300, 0, 50],
      [300, 40, 50],
      [580, 10, 50],
    ] as const) {
      const id = ordered[after - 1]
      const request = { after: id === undefined ? undefined : { severity: 1, id }, offset, limit }
      const found = await listFromRanges(db, [ranges], { id: direction }, request)
      expect(found.map(({ id }) => id)).toEqual(ordered.slice(after + offset, after + offset + limit))
    }
  }
})

test('a sort key orders all index ranges together, and rows of one key by id', async () => {
  const server = await startServer()
  const { db } = server.deps
  const project = await server.project('acme/site')
  const rows = Array.from(
    { length: 400 },
    (_, index): MadeUp => ({ ...usual, id: index + 1, projectId: project.id, scanner: `scanner-${(index * 7) % 120}` }),
  )
  await insertMadeUp(db, rows, server.deps.now())
  await db.run(sql`update vulnerabilities set author_id = null, title = 'T' || (id % 5), confidence = id % 5`)
  const ranges = (await listFacetCounts(db, [project.id])).map((count) => ({ ...count, facets: count }))
  const keyOf = { confidence: (id: number) => id % 5, title: (id: number) => `T${id % 5}` }

  for (const [column, type] of [
    ['confidence', 'number'],
    ['title', 'string'],
  ] as const) {
    for (const direction of ['asc', 'desc'] as const) {
      const sign = direction === 'asc' ? 1 : -1
      const ids = rows.map(({ id }) => id).sort((a, b) => sign * ((a % 5) - (b % 5) || a - b))
      const order = { key: { sql: column, type }, id: direction }
      for (const some of [ranges, ranges.slice(0, 60)]) {
        const scannerIds = new Set(some.map(({ scannerId }) => scannerId))
        const stored = await db.all<{ id: number; scannerId: number }>(sql`select id, scanner_id from vulnerabilities`)
        const within = new Set(stored.filter((row) => scannerIds.has(row.scannerId)).map(({ id }) => id))
        const expected = ids.filter((id) => within.has(id))
        for (const [start, offset] of [
          [0, 0],
          [0, 130],
          [30, 0],
          [77, 25],
        ] as const) {
          const last = expected[start - 1]
          const after = last === undefined ? undefined : { severity: 1, sortKey: keyOf[column](last), id: last }
          const found = await listFromRanges(db, [some], order, { after, offset, limit: 21 })
          expect(found.map(({ id }) => id)).toEqual(expected.slice(start + offset, start + offset + 21))
          expect(found.map(({ sortKey }) => sortKey)).toEqual(found.map(({ id }) => keyOf[column](id)))
        }
      }
    }
  }
})

test('a page skips no rows of other index ranges when first rows leave their ranges while it is read', async () => {
  const server = await startServer()
  const { db } = server.deps
  const project = await server.project('acme/site')
  const rows = Array.from(
    { length: 240 },
    (_, index): MadeUp => ({ ...usual, id: index + 1, projectId: project.id, scanner: `scanner-${index % 120}` }),
  )
  await insertMadeUp(db, rows, server.deps.now())
  const ranges = (await listFacetCounts(db, [project.id])).map((count) => ({ ...count, facets: count }))
  const changing: Db = {
    ...db,
    async all(query: Sql) {
      if (query.sql.includes('union all'))
        await db.run(sql`update vulnerabilities set state = 'confirmed' where id >= 220`)
      return db.all(query)
    },
  }
  const request = { after: undefined, offset: 0, limit: 21 }
  const found = await listFromRanges(changing, [ranges], { id: 'desc' }, request)
  expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 21 }, (_, index) => 240 - index))
})
