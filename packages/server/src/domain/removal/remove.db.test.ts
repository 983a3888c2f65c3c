import { setImmediate } from 'node:timers/promises'
import sql, { raw } from 'sql-template-tag'
import { expect, test } from 'vitest'
import { insertMadeUp, type MadeUp, usual } from '../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../testing/server.ts'

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

test('the dependencies of a project are deleted without blocking the event loop', async () => {
  const deleted: string[] = []
  const observe = ({ sql }: { sql: string }) => {
    if (sql.includes('delete from dependencies')) deleted.push(sql)
  }
  const server = await startServer({ observe })
  const { admin, deps } = server
  const [large, other] = [await server.project('acme/large'), await server.project('acme/other')]
  const components = Array.from({ length: 2600 }, (_, index) => {
    return { type: 'library', name: `part-${index}`, version: '1.0', purl: `pkg:npm/part-${index}@1.0` }
  })
  const bom = (listed: object[]) => JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components: listed })
  await server.report(large, bom(components))
  await server.report(other, bom(components.slice(0, 3)))

  expect((await admin.delete(`/projects/${large.id}`)).status).toBe(202)
  // 2,000 and then 600 of them.
  expect(deleted).toHaveLength(2)
  expect(await deps.db.all(sql`select distinct project_id from inventories`)).toEqual([{ projectId: other.id }])
  expect(await deps.db.one(sql`select count(*) as total from dependencies`)).toEqual({ total: 3 })
})
