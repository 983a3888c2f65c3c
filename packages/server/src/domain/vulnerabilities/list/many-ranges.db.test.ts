import { expect, test } from 'vitest'
import { startServer } from '../../../testing/server.ts'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/vulnerabilities.ts'
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
      const request = { afterId: after > 0 ? ordered[after - 1] : undefined, offset, limit }
      const found = await listFromRanges(db, [ranges], { id: direction }, request)
      expect(found.map(({ id }) => id)).toEqual(ordered.slice(after + offset, after + offset + limit))
    }
  }
})
