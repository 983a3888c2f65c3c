import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { entry } from '../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../testing/server.ts'
import { expireAuditEvents } from '../audit/remove-old.ts'
import { sealAuditEvents } from '../audit/seal.ts'
import { verifyAuditEvents } from '../audit/verify.ts'
import { expireExports } from '../exports/exports.ts'
import { removeOldEvents } from '../hooks/deliver.ts'
import { removeOldImports } from '../reports/imports/old-imports.ts'
import { closeIdleRefs } from '../reports/refs/close-idle-refs.ts'
import { removeOldObservations } from '../vulnerabilities/triage/history/old-observations.ts'

const start = '2026-01-01T00:00:00.000Z'
const later = (days: number) => new Date(Date.parse(start) + days * 24 * 60 * 60 * 1000).toISOString()

async function startAt(retentionDays: { imports: number; histories: number; auditEvents?: number }) {
  const clock = { now: start }
  const server = await startServer({
    clock,
    settings: { retentionDays: { auditEvents: 0, ...retentionDays, exports: 7, hookEvents: 7 } },
  })
  return { clock, server, project: await server.project('acme/site', { maxAbsentPercent: null }) }
}

async function previewOf(server: TestServer): Promise<Record<string, [number, string | null]>> {
  const { status, body } = await server.admin.get('/admin/retention')
  expect(status).toBe(200)
  return Object.fromEntries(
    body.map((row: { kind: string; count: number; oldest_at: string | null }) => [
      row.kind,
      [row.count, row.oldest_at],
    ]),
  )
}

async function countRows({ deps: { db } }: TestServer): Promise<Record<string, number>> {
  const row = await db.one<Record<string, number>>(sql`
    select (select count(*) from refs where closed_at is null) as refs, (select count(*) from imports) as imports,
      (select count(*) from vulnerability_history) as histories,
      (select count(*) from vulnerability_exports) as exports, (select count(*) from hook_events) as webhook_events`)
  if (!row) throw new Error('a count returned no row')
  const { webhookEvents = 0, ...others } = row
  return { ...others, webhook_events: webhookEvents }
}

async function runTasks({ deps, runJobs }: TestServer): Promise<void> {
  await closeIdleRefs(deps)
  await removeOldImports(deps)
  await removeOldObservations(deps)
  await expireAuditEvents(deps)
  await expireExports(deps)
  await removeOldEvents(deps)
  await runJobs()
}

const one = [entry({ line: 1, rule: 'a' })]
const two = [...one, entry({ line: 2, rule: 'b' })]
const vulnerabilitiesOf = async (server: TestServer, { id }: TestProject) =>
  (await server.admin.get(`/projects/${id}/vulnerabilities?per_page=100`)).body

test('the preview counts exactly what the next run removes', async () => {
  const { clock, server, project } = await startAt({ imports: 60, histories: 60 })
  await server.admin.post(`/projects/${project.id}/hooks`, { url: 'http://receiver.test/', vulnerability_events: true })
  await server.report(project, two)
  await server.report(project, one)
  await server.report(project, two)
  await server.report(project, two, { ref: 'old' })
  await server.admin.post(`/security/projects/${project.id}/vulnerability_exports`)
  await server.runJobs()
  clock.now = later(60)
  await server.report(project, two)

  const [preview, before] = [await previewOf(server), await countRows(server)]
  expect(preview).toMatchObject({
    refs: [1, start],
    imports: [expect.toSatisfy((count: number) => count > 0), start],
    histories: [expect.toSatisfy((count: number) => count > 0), start],
    exports: [1, later(7)],
    webhook_events: [expect.toSatisfy((count: number) => count > 0), start],
  })
  await runTasks(server)
  const after = await countRows(server)
  // The job that closes a branch writes history, which a preview does not count.
  const { total: closing } = (await server.deps.db.one<{ total: number }>(sql`
    select count(*) as total from vulnerability_history where comment = 'the branch was closed'`)) ?? { total: 0 }
  const removed = Object.entries(before).map(([kind, rows]) => [
    kind,
    rows - (after[kind] ?? 0) + (kind === 'histories' ? closing : 0),
  ])
  const previewed = Object.entries(preview).map(([kind, [count]]) => [kind, count])
  const unchanged = { audit_events: 0, unreferenced_uploads: 0 }
  expect({ ...Object.fromEntries(removed), ...unchanged }).toEqual(Object.fromEntries(previewed))
  expect(await previewOf(server)).toEqual({
    refs: [0, null],
    imports: [0, null],
    histories: [0, null],
    audit_events: [0, null],
    exports: [0, null],
    webhook_events: [0, null],
    unreferenced_uploads: [0, null],
  })
})

test('imports that decide what is present stay, and findings look as before', async () => {
  const { clock, server, project } = await startAt({ imports: 30, histories: 0 })
  for (const [day, entries] of [two, one, one, one].entries()) {
    clock.now = later(day)
    await server.report(project, entries)
  }
  const shown = async () => {
    const vulnerabilities = await vulnerabilitiesOf(server, project)
    const ids: number[] = vulnerabilities.map(({ id }: { id: number }) => id)
    const occurrences = await Promise.all(ids.map((id) => server.admin.get(`/vulnerabilities/${id}/occurrences`)))
    return occurrences.map(({ body: [occurrence] }) => [occurrence.is_present, occurrence.last_seen_at])
  }
  const before = await shown()
  expect(before).toContainEqual([true, later(3)])
  clock.now = later(100)
  await removeOldImports(server.deps)
  expect(await shown()).toEqual(before)
  const left = await server.deps.db.all<{ createdAt: string }>(sql`select created_at from imports order by id`)
  // The first one is the last observation of both findings, and the last one the newest scan.
  expect(left.map(({ createdAt }) => createdAt)).toEqual([start, later(3)])
  const again = await server.report(project, one)
  expect(again.findings).toMatchObject({ new: 0, known: 1, gone: 0 })
})

test('old observations leave the history, and decisions and comments stay', async () => {
  const { clock, server, project } = await startAt({ imports: 0, histories: 30 })
  await server.report(project, two)
  await server.report(project, one)
  await server.report(project, two)
  const [{ id }] = await vulnerabilitiesOf(server, project)
  await server.admin.post(`/vulnerabilities/${id}/confirm`, { comment: 'reproduced' })
  await server.admin.post(`/projects/${project.id}/vulnerabilities/${id}/notes`, { body: 'see the ticket' })
  const kinds = async () => {
    const rows = await server.deps.db.all<{ kind: string }>(
      sql`select distinct kind from vulnerability_history order by kind`,
    )
    return rows.map(({ kind }) => kind)
  }
  expect(await kinds()).toEqual(['back', 'created', 'gone', 'note', 'state'])
  clock.now = later(29)
  await removeOldObservations(server.deps)
  expect(await kinds()).toHaveLength(5)
  clock.now = later(30)
  await removeOldObservations(server.deps)
  expect(await kinds()).toEqual(['created', 'note', 'state'])
})

test('imports and histories are kept by default', async () => {
  const { clock, server, project } = await startAt({ imports: 0, histories: 0 })
  for (const entries of [two, one, one]) await server.report(project, entries)
  const before = await countRows(server)
  clock.now = later(3000)
  await removeOldImports(server.deps)
  await removeOldObservations(server.deps)
  expect(await countRows(server)).toEqual(before)
  expect(await previewOf(server)).toMatchObject({ imports: [0, null], histories: [0, null] })
  expect((await (await server.user('ada')).get('/admin/retention')).status).toBe(403)
})

test('the preview counts the audit events that the next run removes, and the rest of the chain stays valid', async () => {
  const { clock, server } = await startAt({ imports: 0, histories: 0, auditEvents: 30 })
  await server.user('ada')
  await sealAuditEvents(server.deps)
  const total = async () => (await server.deps.db.all(sql`select id from audit_events`)).length
  const before = await total()
  expect(before).toBeGreaterThan(0)
  clock.now = later(29)
  expect(await previewOf(server)).toMatchObject({ audit_events: [0, null] })
  clock.now = later(31)
  expect(await previewOf(server)).toMatchObject({ audit_events: [before, start] })
  await expireAuditEvents(server.deps)
  await sealAuditEvents(server.deps)
  // One event records the removal.
  expect(await total()).toBe(1)
  expect((await verifyAuditEvents(server.deps.db)).problem).toBeUndefined()
})
