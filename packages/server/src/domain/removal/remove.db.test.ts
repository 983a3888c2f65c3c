import { setImmediate } from 'node:timers/promises'
import sql, { raw } from 'sql-template-tag'
import { expect, test } from 'vitest'
import { startServer } from '../../testing/server.ts'
import { insertMadeUp, type MadeUp, usual } from '../../testing/vulnerabilities.ts'

test('a project with many vulnerabilities is deleted without blocking the event loop', async () => {
  const server = await startServer()
  const { admin, deps } = server
  const [large, other] = [await server.project('acme/large'), await server.project('acme/other')]
  const made = (count: number, projectId: number, first: number) =>
    Array.from({ length: count }, (_, index): MadeUp => {
      return { ...usual, id: first + index, projectId, identifiers: [`CWE-${index % 900}`] }
    })
  await insertMadeUp(deps.db, made(2600, large.id, 1), deps.now())
  await insertMadeUp(deps.db, made(3, other.id, 5001), deps.now())

  let turns = 0
  let isGone = false
  const reply = admin.delete(`/projects/${large.id}`).finally(() => (isGone = true))
  for (; !isGone; turns++) await setImmediate()
  expect((await reply).status).toBe(202)
  // Eleven batches of findings and four of identifiers.
  expect(turns).toBeGreaterThan(15)
  for (const table of ['findings', 'vulnerabilities', 'identifiers', 'occurrences', 'scanners']) {
    const rows = await deps.db.all(sql`select distinct project_id from ${raw(table)}`)
    expect(rows, table).toEqual([{ projectId: other.id }])
  }
  expect((await admin.get(`/projects/${large.id}`)).status).toBe(404)
  expect((await admin.get(`/projects/${other.id}/vulnerabilities`)).body).toHaveLength(3)
})
