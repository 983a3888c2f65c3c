import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { beginImport, findImport } from '../../../domain/reports/imports/import-queries.ts'
import { importKind } from '../../../domain/reports/imports/run-imports.ts'
import { formWithFile } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { disagreements } from '../../../testing/kept-counts.ts'
import { historyOf, keepReport, runImport, showImport } from '../../../testing/reports/imports.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
const freshProject = () => server.project(`acme/promotion-${++projects}`)

/** More findings than an import promotes in its own transaction; the last batch of a hundred is not full. */
const total = 630
const report = (from = 1) => sastReport(Array.from({ length: total }, (_, index) => entry({ line: from + index })))

const send = (project: TestProject, body: object, fields: Record<string, string> = { promote: 'true' }) =>
  server.admin.post(
    `/projects/${project.id}/security_reports`,
    formWithFile('file', 'report.json', JSON.stringify(body), fields),
  )

const totalOf = async (project: TestProject, list: string) =>
  Number((await server.admin.get(`/projects/${project.id}/${list}`)).headers['x-total'])

const listVulnerabilities = async (project: TestProject) =>
  (await server.admin.get(`/projects/${project.id}/vulnerabilities?per_page=100`)).body

const importOf = async (project: TestProject, id: number) =>
  (await server.admin.get(`/projects/${project.id}/security_reports/${id}`)).body

const countStaged = async (importId: number) =>
  (
    await server.deps.db.one<{ total: number }>(
      sql`select count(*) as total from staged_promotions where import_id = ${importId}`,
    )
  )?.total

/** Simulates a process that is killed after this number of batches. */
async function promoteSome(project: TestProject, batches: number, sender = server.admin): Promise<number> {
  const kept = await keepReport(server, project, report(), { promote: 'true' }, sender)
  await showImport(server, kept)
  await expect(runImport(server, kept, batches)).rejects.toThrow('killed')
  return kept
}

describe('a large import with promotion', () => {
  test.runIf(onSqlite)('shows its findings at once, promotes them in batches, and then is done', async () => {
    const project = await freshProject()
    const kept = await promoteSome(project, 0)
    expect(await totalOf(project, 'vulnerability_findings?has_vulnerability=false')).toBe(total)
    expect(await totalOf(project, 'vulnerabilities')).toBe(0)
    expect(await importOf(project, kept)).toMatchObject({
      status: 'running',
      shown_at: expect.any(String),
      finished_at: null,
      unchanged: false,
      findings: { read: total, new: total, promoted: 0 },
    })
    await expect(runImport(server, kept, 2)).rejects.toThrow('killed')
    expect(await importOf(project, kept)).toMatchObject({ status: 'running', findings: { promoted: 200 } })
    expect(await totalOf(project, 'vulnerabilities')).toBe(200)
    expect(await disagreements(server.deps)).toEqual([])
    await runImport(server, kept)
    const done = await importOf(project, kept)
    expect(done).toMatchObject({ status: 'done', errors: [], warnings: [], findings: { new: total, promoted: total } })
    expect(done.finished_at).not.toBeNull()
    expect(await totalOf(project, 'vulnerabilities')).toBe(total)
    expect(await countStaged(kept)).toBe(0)
    expect(await disagreements(server.deps)).toEqual([])
    // Running it again changes nothing.
    await runImport(server, kept)
    expect(await importOf(project, kept)).toEqual(done)
  })

  test('preserves what users change between two batches, and sends webhooks for each vulnerability once', async () => {
    const project = await freshProject()
    const fields = { url: 'https://receiver.example/', vulnerability_events: true }
    const { body: hook } = await server.admin.post(`/projects/${project.id}/hooks`, fields)
    const kept = await promoteSome(project, 1)
    const [promoted] = await listVulnerabilities(project)
    await server.admin.post(`/vulnerabilities/${promoted.id}/dismiss`, { comment: 'not ours' })
    const waiting = await server.admin.get(`/projects/${project.id}/vulnerability_findings?has_vulnerability=false`)
    const byHand = await server.admin.post(
      `/projects/${project.id}/vulnerabilities?finding_id=${waiting.body.at(-1).id}`,
    )
    expect(byHand.status).toBe(201)
    await runImport(server, kept)

    expect(await importOf(project, kept)).toMatchObject({ status: 'done', findings: { promoted: total - 1 } })
    expect(await totalOf(project, 'vulnerabilities')).toBe(total)
    expect(await totalOf(project, 'vulnerability_findings?has_vulnerability=false')).toBe(0)
    expect((await server.admin.get(`/vulnerabilities/${promoted.id}`)).body.state).toBe('dismissed')
    const kinds = async (id: number) => (await historyOf(server.admin, id)).map(({ kind }) => kind)
    expect(await kinds(byHand.body.id)).toEqual(['created'])
    expect(await disagreements(server.deps)).toEqual([])
    const events = await server.deps.db.all<{ payload: { object_attributes: { url: string; state: string } } }>(sql`
      select payload from hook_events where hook_id = ${hook.id} order by id`)
    const attributes = events
      .map(({ payload }) => payload.object_attributes)
      .filter(({ state }) => state === 'detected')
    expect(attributes).toHaveLength(total)
    expect(new Set(attributes.map(({ url }) => url)).size).toBe(total)

    const again = await send(project, report())
    expect(again).toMatchObject({ status: 201, body: { unchanged: true, findings: { known: total, promoted: 0 } } })
  })

  test('continues only in the newest of two attempts', async () => {
    const project = await freshProject()
    const kept = await promoteSome(project, 3)
    let steps = 0
    let another: Promise<unknown> | undefined
    await runImport(server, kept, 1000, () => {
      if (++steps === 2) another = beginImport(server.deps.db, kept, 'another', server.deps.now())
    })
    expect(await another).toMatchObject({ state: 'running' })
    expect((await importOf(project, kept)).findings.promoted).toBeLessThan(total)
    await runImport(server, kept)
    expect(await importOf(project, kept)).toMatchObject({ status: 'done', findings: { promoted: total } })
    expect(await totalOf(project, 'vulnerabilities')).toBe(total)
  })

  test('discards staged promotions of a killed attempt', async () => {
    const project = await freshProject()
    const kept = await keepReport(server, project, report(), { promote: 'true' })
    await server.deps.db.run(sql`
      insert into staged_promotions (import_id, position, finding_ids) values (${kept}, 90, ${[1]})`)
    await runImport(server, kept)
    expect(await importOf(project, kept)).toMatchObject({ status: 'done', findings: { promoted: total } })
  })

  test.runIf(onSqlite)('keeps its progress when it fails, and sending the report again promotes the rest', async () => {
    const project = await freshProject()
    const kept = await promoteSome(project, 2)
    await importKind.giveUp?.(server.deps, { importId: kept }, 'killed')
    const done = await importOf(project, kept)
    expect(done).toMatchObject({ status: 'done', errors: [], findings: { new: total, promoted: 200 } })
    expect(done.warnings).toEqual([
      {
        type: 'internal',
        message: 'Not all findings could be promoted; see the server’s log, and send the report again.',
        pointer: '',
      },
    ])
    expect(await countStaged(kept)).toBe(0)
    expect((await send(project, report())).body.findings).toMatchObject({ new: 0, promoted: total - 200 })
    expect(await totalOf(project, 'vulnerabilities')).toBe(total)
    expect(await disagreements(server.deps)).toEqual([])
  })

  test('stops when its sender is deleted', async () => {
    const project = await freshProject()
    const sender = await server.as('maintainer', project)
    const kept = await promoteSome(project, 1, sender)
    expect((await server.admin.delete(`/users/${sender.user?.id}`)).status).toBe(204)
    await runImport(server, kept)
    expect(await totalOf(project, 'vulnerabilities')).toBe(100)
    expect(await importOf(project, kept)).toMatchObject({
      status: 'done',
      findings: { promoted: 100 },
      warnings: [{ type: 'forbidden' }],
    })
    expect(await countStaged(kept)).toBe(0)
  })

  test.runIf(onSqlite)('stops when its project is deleted', async () => {
    const project = await freshProject()
    const kept = await promoteSome(project, 1)
    let steps = 0
    let deletion: ReturnType<typeof server.admin.delete> | undefined
    await runImport(server, kept, 1000, () => {
      if (++steps === 2) deletion = server.admin.delete(`/projects/${project.id}`)
    })
    expect(await deletion).toMatchObject({ status: 202 })
    expect(await findImport(server.deps.db, kept)).toBeUndefined()
    expect(await countStaged(kept)).toBe(0)
  })

  test('waits for another import of the project, and both promote all their findings', async () => {
    const project = await freshProject()
    const both = await Promise.all([send(project, report()), send(project, report(201))])
    expect(both.map(({ status, body }) => [status, body.status])).toEqual([
      [201, 'done'],
      [201, 'done'],
    ])
    const promoted = both.map(({ body }) => body.findings.promoted).sort((a, b) => a - b)
    expect(promoted).toEqual([200, total])
    expect(await totalOf(project, 'vulnerabilities')).toBe(total + 200)
    expect(await disagreements(server.deps)).toEqual([])
  })

  test.runIf(onSqlite)('creates vulnerabilities of its branch', async () => {
    const project = await freshProject()
    const sent = await send(project, report(), { promote: 'true', ref: 'feature' })
    expect(sent.body.findings).toMatchObject({ new: total, promoted: total })
    expect(await totalOf(project, 'vulnerabilities')).toBe(0)
    expect(await totalOf(project, 'vulnerabilities?ref=feature')).toBe(total)
  })
})
