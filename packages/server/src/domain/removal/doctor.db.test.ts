import { Readable } from 'node:stream'
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { formWithFile } from '../../testing/client.ts'
import { sastReport } from '../../testing/reports/reports.ts'
import { startServer } from '../../testing/server.ts'
import { importJob, importKind } from '../reports/imports/run-imports.ts'
import { examine } from './doctor.ts'

test('the doctor finds every difference between database and store, and repairs it', async () => {
  const clock = { now: new Date(Date.now() + 2 * 24 * 60 * 60 * 1000).toISOString() }
  const server = await startServer({ clock })
  const { deps } = server
  const project = await server.project('acme/doctor')
  const at = `/projects/${project.id}/uploads`
  const upload = async (name: string, content: string) =>
    (await server.admin.post(at, formWithFile('file', name, content))).body.id
  const keyOf = async (id: number) =>
    (await deps.db.one<{ key: string }>(sql`select object_key as key from uploads where id = ${id}`))?.key ?? ''

  const whole = await upload('whole.txt', 'whole')
  expect(await examine(deps, { fix: false })).toEqual({ findings: [], left: 0, files: 1, objects: 1 })

  const lost = await upload('lost.txt', 'lost')
  await deps.objects.remove(await keyOf(lost))
  const short = await upload('short.txt', 'shorter than it was')
  await deps.objects.remove(await keyOf(short))
  await deps.objects.put(await keyOf(short), Readable.from([Buffer.from('short')]))
  await deps.objects.put('files/orphan', Readable.from([Buffer.from('x')]))
  await deps.db.run(sql`update upload_usage set bytes = bytes + 1`)
  const topic = await server.admin.post('/topics', { name: 'counted', title: 'Counted' })
  await deps.db.run(sql`update topics set total_projects_count = 7 where id = ${topic.body.id}`)

  const { findings } = await examine(deps, { fix: false })
  expect(findings.map(({ kind, what }) => `${kind}: ${what.replace(/ \(files.*/, '')}`).sort()).toEqual([
    `missing object: upload ${lost}, lost.txt`,
    'object without a row: files/orphan',
    `wrong size: upload ${short}, short.txt`,
    `wrong topic counts: topic ${topic.body.id}`,
    `wrong upload usage: project ${project.id}`,
  ])
  expect((await examine(deps, { fix: false })).findings).toHaveLength(5)

  expect(await examine(deps, { fix: true })).toMatchObject({ findings: { length: 5 }, left: 0 })
  expect(await examine(deps, { fix: false })).toEqual({ findings: [], left: 0, files: 1, objects: 1 })
  expect((await server.admin.get(`${at}/${whole}`)).text).toBe('whole')
  expect((await server.admin.get(`${at}/limits`)).body).toMatchObject({ used_bytes: 5, files: 1 })
})

test('the doctor finds changed content when it reads files, and does not repair it', async () => {
  const server = await startServer()
  const { deps } = server
  const project = await server.project('acme/bits')
  const at = `/projects/${project.id}/uploads`
  for (const name of ['whole.txt', 'turned.txt']) {
    await server.admin.post(at, formWithFile('file', name, 'as it was'))
  }
  const row = await deps.db.one<{ id: number; key: string }>(sql`
    select id, object_key as key from uploads where filename = 'turned.txt'`)
  const { id, key } = row ?? { id: 0, key: '' }
  await deps.objects.remove(key)
  await deps.objects.put(key, Readable.from([Buffer.from('as it Was')]))

  expect(await examine(deps, { fix: true })).toEqual({ findings: [], left: 0, files: 2, objects: 2 })
  for (const fix of [false, true, false]) {
    expect(await examine(deps, { fix, contents: true })).toEqual({
      findings: [{ kind: 'wrong content', what: `upload ${id}, turned.txt (${key})` }],
      left: 1,
      files: 2,
      objects: 2,
    })
  }
  expect((await server.admin.get(`${at}/${id}`)).status).toBe(500)
})

test('the doctor reports a waiting import without its report, and fails it with fix', async () => {
  const server = await startServer()
  const { deps } = server
  const project = await server.project('acme/lost-report')
  const { key } = importJob(project.id, 0)
  // Another import of this project is running, so that this one does not start.
  await deps.db.run(sql`
    insert into jobs (kind, key, payload, state, attempts, run_at, created_at, lease, lease_expires_at)
    values ('import', ${key}, ${{ importId: 0 }}, 'running', 1, ${deps.now()}, ${deps.now()}, 'test',
      '2100-01-01T00:00:00.000Z')`)
  const file = () => formWithFile('file', 'report.json', JSON.stringify(sastReport([])), { async: 'true' })
  const at = `/projects/${project.id}/security_reports`
  const [kept, lost] = [await server.admin.post(at, file()), await server.admin.post(at, file())]
  expect([kept.status, lost.status]).toEqual([202, 202])
  expect(await examine(deps, { fix: false })).toEqual({ findings: [], left: 0, files: 2, objects: 2 })

  const row = await deps.db.one<{ objectKey: string }>(sql`select object_key from imports where id = ${lost.body.id}`)
  await deps.objects.remove(row?.objectKey ?? '')
  const { findings } = await examine(deps, { fix: true })
  expect(findings).toEqual([
    { kind: 'missing object', what: `report of import ${lost.body.id}, main (${row?.objectKey})` },
  ])
  expect(await examine(deps, { fix: false })).toEqual({ findings: [], left: 0, files: 1, objects: 1 })
  expect((await server.admin.get(`${at}/${lost.body.id}`)).body).toMatchObject({
    status: 'failed',
    errors: [{ type: 'internal', message: 'The report is not in the store any more; send it again.' }],
  })

  // The job of the lost report fails with the reason; the other report is imported.
  const run = async (importId: number) => {
    const job = { id: 0, payload: { importId }, attempt: 1, signal: AbortSignal.timeout(5000) }
    await importKind.run(deps, { ...job, lane: 'import', progress: async () => {}, forget: async () => {} })
  }
  await expect(run(lost.body.id)).rejects.toThrow('no longer stored')
  await run(kept.body.id)
  const states = (await server.admin.get(at)).body.map(({ status }: { status: string }) => status)
  expect(states.sort()).toEqual(['done', 'failed'])
})
