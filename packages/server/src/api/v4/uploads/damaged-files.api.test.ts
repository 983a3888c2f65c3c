import { Readable } from 'node:stream'
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { deleteMarkedObjects } from '../../../domain/files/pending-deletions.ts'
import { removeOrphanedObjects } from '../../../domain/removal/orphan-cleanup.ts'
import { formWithFile } from '../../../testing/client.ts'
import { sastReport } from '../../../testing/reports.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

test('a damaged file is never sent whole', async () => {
  const server = await startServer()
  const project = await server.project('acme/damaged')
  const at = `/projects/${project.id}/uploads`
  const created = await server.admin.post(at, formWithFile('file', 'a.txt', 'as it was'))
  const read = (headers = {}) => server.admin.get(`${at}/${created.body.id}`, { headers })
  expect((await read()).text).toBe('as it was')

  for (const damage of ['as it Was', 'as it wa', '', 'as it was!']) {
    await replaceObject(server, damage)
    for (const headers of [{}, { range: 'bytes=0-1' }]) {
      const answer = await read(headers)
      expect(answer).toMatchObject({ status: 500, body: { message: '500 The stored file is damaged' } })
      expect(answer.headers['etag']).not.toBe(`"${created.body.sha256}"`)
    }
  }
  expect(await server.deps.metrics.print({ counts: [], ages: [] })).toMatch(/^alcove_damaged_files_total [1-9]/m)
  await replaceObject(server, 'as it was')
  expect((await read({ range: 'bytes=3-4' })).text).toBe('it')
})

test('a damaged report is not imported', async () => {
  const server = await startServer()
  const { deps } = server
  const project = await server.project('acme/damaged-report')
  const report = JSON.stringify(sastReport([]))
  const put = deps.objects.put.bind(deps.objects)
  // A bit changes between the request that stores the report and the job that reads it.
  deps.objects.put = async (key, body) => {
    await put(key, body)
    const stored = await deps.objects.open(key)
    const chunks: Buffer[] = []
    for await (const chunk of stored ?? []) chunks.push(chunk as Buffer)
    await put(key, Readable.from([Buffer.from(Buffer.concat(chunks).toString().replace('15.0', '15.1'))]))
  }
  const sent = await server.admin.post(
    `/projects/${project.id}/security_reports`,
    formWithFile('file', 'report.json', report, { async: 'true' }),
  )
  expect(sent.status).toBe(202)
  const at = `/projects/${project.id}/security_reports/${sent.body.id}`
  const failures = async () =>
    (await deps.db.all<{ attempts: number }>(sql`select attempts from jobs where kind = 'import' and attempts > 0`))
      .length
  await expect.poll(failures, { timeout: 10_000 }).toBe(1)
  expect((await server.admin.get(at)).body.status).not.toBe('done')
  expect(await deps.db.all(sql`select id from findings`)).toEqual([])
})

test('the object of a deleted file is kept for the retention period', async () => {
  const clock = { now: '2030-01-01T00:00:00.000Z' }
  const server = await startServer({ clock, settings: { objectRetentionMs: 24 * 60 * 60 * 1000 } })
  const { deps } = server
  const keep = async () => (await keysIn(server)).length
  const project = await server.project('acme/retained')
  await server.admin.post(`/projects/${project.id}/uploads`, formWithFile('file', 'a.txt', 'restorable'))
  expect((await server.admin.delete(`/projects/${project.id}`)).status).toBe(202)

  await deleteMarkedObjects(deps)
  expect(await keep()).toBe(1)
  clock.now = '2030-01-01T23:59:59.000Z'
  await deleteMarkedObjects(deps)
  await removeOrphanedObjects(deps)
  expect(await keep()).toBe(1)
  clock.now = '2030-01-02T00:00:01.000Z'
  await deleteMarkedObjects(deps)
  expect(await keep()).toBe(0)
})

async function replaceObject(server: TestServer, content: string): Promise<void> {
  const [key = ''] = await keysIn(server)
  await server.deps.objects.put(key, Readable.from([Buffer.from(content)]))
}

async function keysIn({ deps }: TestServer): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of deps.objects.list('files/')) keys.push(key)
  return keys
}
