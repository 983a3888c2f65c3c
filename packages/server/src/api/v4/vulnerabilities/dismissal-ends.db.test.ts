import type { Sql } from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { endDismissals } from '../../../domain/vulnerabilities/triage/dismissals/ended-dismissals.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { historyOf, vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'
import { startReceiver } from '../../../testing/stand-ins/receiver.ts'

const start = '2026-05-01T10:20:30.000Z'

async function world() {
  const clock = { now: start }
  const server = await startServer({ clock, settings: { webhooksReachPrivate: true } })
  const project = await server.project('acme/site')
  return { clock, server, project }
}

const flaw = (line: number, solution?: string) => ({
  ...entry({ name: `Flaw ${line}`, severity: 'High', line, rule: `r${line}` }),
  ...(solution !== undefined && { solution }),
})

/** Imports flaws and returns the ids of their vulnerabilities in order. */
async function detected(server: TestServer, project: TestProject, count: number): Promise<number[]> {
  const lines = Array.from({ length: count }, (_, index) => index + 1)
  await server.report(
    project,
    lines.map((line) => flaw(line)),
  )
  const found = await vulnerabilitiesOf(server, project)
  return lines.map((line) => found[`Flaw ${line}`].id)
}

const read = async (server: TestServer, id: number) => (await server.admin.get(`/vulnerabilities/${id}`)).body
const dismiss = (server: TestServer, id: number, fields: object = {}) =>
  server.admin.post(`/vulnerabilities/${id}/dismiss`, fields)
const bulk = (server: TestServer, project: TestProject, fields: object) =>
  server.admin.post(`/projects/${project.id}/vulnerability_bulk_changes`, fields)
const listed = async (server: TestServer, project: TestProject, query: string) => {
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities?sort=detected_asc&${query}`)
  return body.map(({ id }: { id: number }) => id)
}

describe('a dismissal until a day', () => {
  test('ends on that day, once, with its reason in the history', async () => {
    const { clock, server, project } = await world()
    const [id = 0, other = 0] = await detected(server, project, 2)
    const receiver = await startReceiver()
    await server.admin.post(`/projects/${project.id}/hooks`, { url: receiver.url, vulnerability_events: true })
    const fields = { dismissal_reason: 'acceptable_risk', until: '2026-06-01', comment: 'until the release' }
    expect(await dismiss(server, id, fields)).toMatchObject({
      status: 201,
      body: { state: 'dismissed', dismissed_until: '2026-06-01', dismissed_until_fixed: false },
    })
    await dismiss(server, other, { until: '2026-06-02' })
    expect((await historyOf(server.admin, id)).at(-1)).toMatchObject({
      text: 'changed vulnerability status from Detected to Dismissed: Acceptable risk, until 2026-06-01 with the following comment: "until the release"',
      details: { dismissed_until: '2026-06-01', dismissed_until_fixed: false },
    })

    clock.now = '2026-05-31T23:59:59.000Z'
    await endDismissals(server.deps)
    expect((await read(server, id)).state).toBe('dismissed')

    clock.now = '2026-06-01T00:00:00.000Z'
    await Promise.all([endDismissals(server.deps), endDismissals(server.deps)])
    expect(await read(server, id)).toMatchObject({
      ...{ state: 'detected', dismissal_reason: null, dismissed_at: null, dismissed_by_id: null },
      ...{ dismissed_until: null, dismissed_until_fixed: false, updated_at: clock.now },
    })
    expect((await read(server, other)).state).toBe('dismissed')
    const states = (await historyOf(server.admin, id)).filter(({ kind }: { kind: string }) => kind === 'state')
    expect(states).toHaveLength(2)
    expect(states[1]).toMatchObject({
      ...{ from: 'dismissed', to: 'detected', author: null, import: null },
      text: 'reverted vulnerability status from Dismissed to Detected with the following comment: "the dismissal (Acceptable risk) ended on 2026-06-01"',
      details: { ended: 'until', dismissal_reason: 'acceptable_risk', dismissed_until: '2026-06-01' },
    })
    expect(await listed(server, project, 'state=detected')).toEqual([id])
    await server.runJobs()
    expect(receiver.received.map(({ body }) => body.object_attributes.state)).toEqual([
      ...['dismissed', 'dismissed', 'detected'],
    ])
    const audited = await server.admin.get(`/projects/${project.id}/audit_events`)
    const ended = audited.body.filter(
      ({ details }: { details: { event_name: string } }) => details.event_name === 'vulnerability_dismissals_ended',
    )
    expect(ended).toMatchObject([{ details: { ended: 1, author_name: 'System' } }])
  })

  test('ends for many vulnerabilities in short transactions', async () => {
    const clock = { now: start }
    const updates: string[] = []
    const observe = ({ text }: Sql) => void (/^\s*update vulnerabilities\b/.test(text) && updates.push(text))
    const server = await startServer({ clock, observe })
    const project = await server.project('acme/site')
    const ids = await detected(server, project, 60)
    await bulk(server, project, { action: 'dismiss', vulnerability_ids: ids, until: '2026-06-01' })

    clock.now = '2026-06-01T00:00:00.000Z'
    updates.length = 0
    await endDismissals(server.deps)

    expect(await listed(server, project, 'state=detected&per_page=100')).toEqual(ids)
    expect(updates).toHaveLength(2)
  })

  test('is in the future and at most five years ahead', async () => {
    const { server, project } = await world()
    const [id = 0] = await detected(server, project, 1)
    for (const [until, status, body] of [
      ['2026-05-01', 400, { message: { until: ['must be a date in the future'] } }],
      ['2031-05-02', 400, { message: { until: ['cannot be later than 2031-05-01'] } }],
      ['soon', 400, { error: 'until is invalid' }],
      ['2026-02-30', 400, { error: 'until is invalid' }],
    ] as const) {
      expect(await dismiss(server, id, { until })).toMatchObject({ status, body })
      expect(await bulk(server, project, { action: 'dismiss', vulnerability_ids: [id], until })).toMatchObject({
        status,
        body,
      })
    }
    expect((await read(server, id)).state).toBe('detected')
    expect((await dismiss(server, id, { until: '2031-05-01' })).status).toBe(201)
  })

  test('can be changed and removed, and is kept by a change of the reason', async () => {
    const { server, project } = await world()
    const [id = 0] = await detected(server, project, 1)
    await dismiss(server, id, { until: '2026-06-01', dismissal_reason: 'used_in_tests' })
    expect((await dismiss(server, id, { until: '2026-06-01' })).status).toBe(304)
    expect((await dismiss(server, id, { dismissal_reason: 'false_positive' })).body).toMatchObject({
      ...{ dismissal_reason: 'false_positive', dismissed_until: '2026-06-01' },
    })
    expect((await dismiss(server, id, { until: '2026-07-01' })).body).toMatchObject({
      ...{ dismissal_reason: 'false_positive', dismissed_until: '2026-07-01' },
    })
    expect((await dismiss(server, id, { until: '', until_fixed: true })).body).toMatchObject({
      ...{ dismissed_until: null, dismissed_until_fixed: true },
    })
    for (const [action, state] of [
      ['confirm', 'confirmed'],
      ['resolve', 'resolved'],
      ['revert', 'detected'],
    ] as const) {
      await dismiss(server, id, { until: '2026-06-01', until_fixed: true })
      expect((await server.admin.post(`/vulnerabilities/${id}/${action}`)).body).toMatchObject({
        ...{ state, dismissed_until: null, dismissed_until_fixed: false },
      })
    }
    expect((await dismiss(server, id)).body).toMatchObject({ dismissed_until: null, dismissed_until_fixed: false })
  })
})

describe.runIf(onSqlite)('a dismissal until a fix is available', () => {
  test('ends with the import whose report has the first solution', async () => {
    const { server, project } = await world()
    const [a = 0, b = 0] = await detected(server, project, 2)
    await dismiss(server, a, { until_fixed: true, dismissal_reason: 'acceptable_risk' })
    await dismiss(server, b)
    await server.report(project, [flaw(1, 'No solution provided'), flaw(2)])
    await endDismissals(server.deps)
    expect((await read(server, a)).state).toBe('dismissed')

    await server.report(project, [flaw(1, 'Upgrade to 2.0'), flaw(2, 'Upgrade to 2.0')])
    expect(await read(server, a)).toMatchObject({ state: 'detected', dismissed_until_fixed: false })
    expect((await read(server, b)).state).toBe('dismissed')
    const last = (await historyOf(server.admin, a)).at(-1)
    expect(last).toMatchObject({
      ...{ kind: 'state', from: 'dismissed', to: 'detected', author: null, import: { ref: 'main' } },
      comment: 'the dismissal (Acceptable risk) ended because a fix is available',
      details: { ended: 'until_fixed', dismissal_reason: 'acceptable_risk' },
    })
    expect(await listed(server, project, 'state=detected')).toEqual([a])
    const audited = await server.admin.get(`/projects/${project.id}/audit_events`)
    expect(audited.body.map(({ details }: { details: { ended?: number } }) => details.ended)).toContain(1)
  })

  test('is rejected where the report describes a fix already, and leaves such vulnerabilities unchanged in bulk', async () => {
    const { server, project } = await world()
    const [a = 0, b = 0] = await detected(server, project, 2)
    await server.report(project, [flaw(1), flaw(2, 'Upgrade to 2.0')])
    expect(await dismiss(server, b, { until_fixed: true })).toMatchObject({
      status: 400,
      body: { message: { until_fixed: ['cannot be used, because a fix is available already'] } },
    })
    const fields = { action: 'dismiss', vulnerability_ids: [a, b], until_fixed: true }
    expect(await bulk(server, project, fields)).toMatchObject({ status: 201, body: { changed: 1, unchanged: 1 } })
    expect(await read(server, a)).toMatchObject({ state: 'dismissed', dismissed_until_fixed: true })
    expect((await read(server, b)).state).toBe('detected')
  })

  test('is described by the dry run of a change of many projects as it is done', async () => {
    const { server, project } = await world()
    const [a = 0, b = 0] = await detected(server, project, 2)
    await server.report(project, [flaw(1), flaw(2, 'Upgrade to 2.0')])
    const fields = { action: 'dismiss', vulnerability_ids: [a, b], until_fixed: true }
    const path = '/vulnerability_bulk_changes'
    for (const dry_run of [true, false]) {
      expect(await server.admin.post(path, { ...fields, dry_run })).toMatchObject({
        body: { changed: 1, unchanged: 1 },
      })
    }
    expect(await server.admin.post(path, { ...fields, until: '2026-05-01' })).toMatchObject({
      status: 400,
      body: { message: { until: ['must be a date in the future'] } },
    })
    expect(await read(server, a)).toMatchObject({ state: 'dismissed', dismissed_until_fixed: true })
  })

  test('is ended by the periodic task when no import did', async () => {
    const { server, project } = await world()
    const [id = 0] = await detected(server, project, 1)
    await dismiss(server, id, { until_fixed: true })
    const undone = await bulk(server, project, { action: 'revert', vulnerability_ids: [id] })
    await server.report(project, [flaw(1, 'Upgrade to 2.0')])
    await server.admin.post(`/projects/${project.id}/vulnerability_bulk_changes/${undone.body.id}/undo`)
    expect(await read(server, id)).toMatchObject({ state: 'dismissed', dismissed_until_fixed: true })
    await endDismissals(server.deps)
    expect((await read(server, id)).state).toBe('detected')
  })
})

describe.runIf(onSqlite)('a bulk dismissal with an end', () => {
  test('applies to all, and its undo restores the former end', async () => {
    const { server, project } = await world()
    const [a = 0, b = 0] = await detected(server, project, 2)
    await dismiss(server, a, { until: '2026-06-01', until_fixed: true })
    const fields = { action: 'dismiss', vulnerability_ids: [a, b], until: '2026-08-01', until_fixed: false }
    const done = await bulk(server, project, fields)
    expect(done).toMatchObject({ status: 201, body: { changed: 2 } })
    expect(await read(server, a)).toMatchObject({ dismissed_until: '2026-08-01', dismissed_until_fixed: false })
    expect((await historyOf(server.admin, b)).at(-1)).toMatchObject({
      text: 'changed vulnerability status from Detected to Dismissed, until 2026-08-01',
      details: { dismissed_until: '2026-08-01', dismissed_until_fixed: false },
    })
    expect((await bulk(server, project, fields)).body).toMatchObject({ changed: 0, unchanged: 2 })
    await server.admin.post(`/projects/${project.id}/vulnerability_bulk_changes/${done.body.id}/undo`)
    expect(await read(server, a)).toMatchObject({ dismissed_until: '2026-06-01', dismissed_until_fixed: true })
    expect(await read(server, b)).toMatchObject({ state: 'detected', dismissed_until: null })
  })
})

test('lists and exports show and filter by the end of a dismissal', async () => {
  const { server, project } = await world()
  const [a = 0, b = 0, c = 0] = await detected(server, project, 4)
  await dismiss(server, a, { until: '2026-06-01' })
  await dismiss(server, b, { until_fixed: true })
  await dismiss(server, c)
  expect(await listed(server, project, 'dismissal_ends=true')).toEqual([a, b])
  expect(await listed(server, project, 'dismissal_ends=false')).toEqual([c])
  expect(await listed(server, project, 'dismissal_ends_before=2026-06-01')).toEqual([])
  expect(await listed(server, project, 'dismissal_ends_before=2026-06-02')).toEqual([a])
  await dismiss(server, c, { until: '2026-05-20' })
  expect(await listed(server, project, 'dismissal_ends_before=2026-06-02')).toEqual([a, c])
  expect(await server.admin.get(`/projects/${project.id}/vulnerabilities?dismissal_ends_before=x`)).toMatchObject({
    status: 400,
    body: { error: 'dismissal_ends_before is invalid' },
  })
  const path = `/security/projects/${project.id}/vulnerability_exports`
  const exported = async (fields: object) => {
    const { body } = await server.admin.post(path, fields)
    await server.runJobs()
    return (await server.admin.get(`/security/vulnerability_exports/${body.id}/download`)).text
  }
  const lines = (await exported({ filters: { dismissal_ends: true } })).trim().split('\n')
  expect(lines[0]).toMatch(/,Dismissed Until,Tags,Dismissal Scope,KEV Due On,Known Ransomware Use,Import Data$/)
  const withoutData = lines.slice(1).map((line) => line.replace(/,"\{""id"".*$/, ''))
  expect(withoutData.map((line) => line.split(',').at(-5))).toEqual(['2026-06-01', 'fix available', '2026-05-20'])
  expect(await exported({ export_format: 'json' })).toContain('"dismissed_until":"2026-06-01"')
  expect(await exported({ export_format: 'sarif' })).toContain('"dismissed_until":"2026-06-01"')
})
