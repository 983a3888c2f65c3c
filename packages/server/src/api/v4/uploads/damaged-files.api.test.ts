import { Readable } from 'node:stream'
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { deleteMarkedObjects } from '../../../domain/files/pending-deletions.ts'
import { examine } from '../../../domain/removal/doctor.ts'
import { removeOrphanedObjects } from '../../../domain/removal/orphan-cleanup.ts'
import { formWithFile } from '../../../testing/client.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

test('a damaged file is never sent whole', async () => {
  const server = await startServer()
  const project = await server.project('acme/damaged')
  const at = `/projects/${project.id}/uploads`
  const created = await server.admin.post(at, formWithFile('file', 'a.txt', 'as it was'))
  const read = (headers = {}) => server.admin.get(`${at}/${created.body.id}`, { headers })

  for (const damage of ['as it Was', 'as it wa', '', 'as it was!']) {
    await replaceObject(server, damage)
    for (const headers of [{}, { range: 'bytes=0-1' }]) {
      const answer = await read(headers)
      expect(answer).toMatchObject({ status: 500, body: { message: '500 The stored file is damaged' } })
      expect(answer.headers['etag']).not.toBe(`"${created.body.sha256}"`)
    }
  }
  const stored = { queue: { counts: [], ages: [] }, mails: [], streams: [], scans: { pending: 0, quarantined: 0 } }
  expect(await server.deps.metrics.print(stored)).toMatch(/^alcove_damaged_files_total [1-9]/m)
  await replaceObject(server, 'as it was')
  expect((await read({ range: 'bytes=3-4' })).text).toBe('it')
  // A small file that was intact is sent from memory.
  await replaceObject(server, 'as it Was')
  expect((await read()).text).toBe('as it was')
})

const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010806000000', 'hex')
const last = (content: Buffer, byte: string) => Buffer.concat([content.subarray(0, -1), Buffer.from(byte)])

async function topicWithAvatar(server: TestServer, name = 'quay') {
  const created = await server.admin.post('/topics', formWithFile('avatar', 'a.png', png, { name, title: name }))
  expect(created.status).toBe(201)
  return { id: created.body.id as number, path: `/${new URL(created.body.avatar_url).pathname}` }
}

async function finishedExport(server: TestServer): Promise<string> {
  const project = await server.project('acme/exported')
  await server.report(project, [entry({ line: 1 })])
  const { body } = await server.admin.post(`/security/projects/${project.id}/vulnerability_exports`)
  const path = `/security/vulnerability_exports/${body.id}`
  await server.runJobs()
  return `${path}/download`
}

test.each([
  ['avatar', async (server: TestServer) => (await topicWithAvatar(server)).path],
  ['export', finishedExport],
])('a damaged %s is never sent whole, and the doctor finds it', async (kind, create) => {
  const server = await startServer()
  const path = await create(server)
  const read = (headers = {}) => server.admin.get(path, { headers })
  const content = await contentOf(server)

  for (const damage of [last(content, '~'), content.subarray(1), Buffer.concat([content, Buffer.from('~')])]) {
    await replaceObject(server, damage)
    for (const headers of [{}, { range: 'bytes=0-1' }]) {
      expect(await read(headers)).toMatchObject({ status: 500, body: { message: '500 The stored file is damaged' } })
    }
  }
  await replaceObject(server, last(content, '~'))
  expect((await examine(server.deps, { fix: false, contents: true })).findings).toEqual([
    { kind: 'wrong content', what: expect.stringContaining(kind) },
  ])
  await replaceObject(server, content)
  expect((await read()).status).toBe(200)
})

test('a file of an earlier version, which has no digest, is compared by size', async () => {
  const server = await startServer()
  const { path } = await topicWithAvatar(server)
  await server.deps.db.run(sql`update topics set avatar_sha256 = null`)
  await replaceObject(server, last(png, '~'))
  expect((await server.admin.get(path)).status).toBe(200)
  await replaceObject(server, png.subarray(1))
  expect((await server.admin.get(path)).status).toBe(500)
})

test('an avatar keeps its digest when a merge of its topic is undone', async () => {
  const server = await startServer()
  const source = await topicWithAvatar(server)
  const target = await server.admin.post('/topics', { name: 'pier', title: 'Pier' })
  const merged = { source_topic_id: source.id, target_topic_id: target.body.id }
  expect((await server.admin.post('/topics/merge', merged)).status).toBe(201)
  await replaceObject(server, last(png, '~'))
  expect((await examine(server.deps, { fix: false, contents: true })).findings).toHaveLength(1)
  const [merge] = (await server.admin.get('/topics/merges')).body
  expect((await server.admin.post(`/topics/merges/${merge.id}/undo`)).status).toBe(201)
  expect((await server.admin.get(source.path)).status).toBe(500)
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
  await expect.poll(failures).toBe(1)
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

async function contentOf(server: TestServer): Promise<Buffer> {
  const [key = ''] = await keysIn(server)
  return Buffer.concat((await (await server.deps.objects.open(key))?.toArray()) ?? [])
}

async function replaceObject(server: TestServer, content: string | Buffer): Promise<void> {
  const [key = ''] = await keysIn(server)
  await server.deps.objects.put(key, Readable.from([Buffer.from(content)]))
}

async function keysIn({ deps }: TestServer): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of deps.objects.list('files/')) keys.push(key)
  return keys
}
