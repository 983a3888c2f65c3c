import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { disagreements } from '../../../testing/kept-counts.ts'
import { historyOf, vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
/** Creates a project with this number of vulnerabilities. Returns their ids in the order of their titles. */
async function projectWith(count: number): Promise<{ project: TestProject; ids: number[] }> {
  const project = await server.project(`acme/bulk-${++projects}`)
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  await server.report(
    project,
    numbers.map((line) =>
      entry({ name: `Flaw ${String(line).padStart(4, '0')}`, severity: 'Low', line, rule: `r${line}` }),
    ),
  )
  const vulnerabilities = await vulnerabilitiesOf(server, project)
  const titles = Object.keys(vulnerabilities).sort()
  return { project, ids: titles.map((title) => vulnerabilities[title].id) }
}

const bulk = (project: TestProject, fields: object, client: Client = server.admin) =>
  client.post(`/projects/${project.id}/vulnerabilities/bulk`, fields)
const undo = (project: TestProject, id: number, client: Client = server.admin) =>
  client.post(`/projects/${project.id}/vulnerabilities/bulk/${id}/undo`)
const statesOf = async (project: TestProject) =>
  Object.values(await vulnerabilitiesOf(server, project))
    .sort((a, b) => a.id - b.id)
    .map(({ state }) => state)

describe.runIf(onSqlite)('a bulk change', () => {
  test('applies one action to many vulnerabilities and returns how many it changed', async () => {
    const { project, ids } = await projectWith(3)
    const maintainer = await server.as('maintainer', project)
    await maintainer.post(`/vulnerabilities/${ids[0]}/dismiss`, { dismissal_reason: 'used_in_tests' })
    const fields = {
      action: 'dismiss',
      vulnerability_ids: [...ids, ids[1]],
      dismissal_reason: 'used_in_tests',
      comment: 'all of it',
    }
    const reply = await bulk(project, fields, maintainer)
    expect(reply).toMatchObject({
      status: 201,
      body: {
        ...{ id: expect.any(Number), project_id: project.id, action: 'dismiss', changed: 2, unchanged: 1 },
        ...{ author_id: maintainer.user?.id, undone_at: null, restored: null },
      },
    })
    for (const vulnerability of Object.values(await vulnerabilitiesOf(server, project))) {
      expect(vulnerability).toMatchObject({ state: 'dismissed', dismissal_reason: 'used_in_tests' })
    }
    expect((await historyOf(maintainer, ids[2] ?? 0)).at(-1)).toMatchObject({
      ...{ kind: 'state', from: 'detected', to: 'dismissed', comment: 'all of it', bulk_id: reply.body.id },
      ...{ author: { id: maintainer.user?.id }, details: null },
    })
    expect((await bulk(project, fields, maintainer)).body).toMatchObject({ changed: 0, unchanged: 3 })
    expect(await maintainer.get(`/projects/${project.id}/vulnerabilities/bulk`)).toMatchObject({
      status: 200,
      body: [{ changed: 0 }, reply.body],
    })
  })

  test('accepts ids in a form, and every action', async () => {
    const { project, ids } = await projectWith(2)
    for (const [action, state] of [
      ['confirm', 'confirmed'],
      ['resolve', 'resolved'],
      ['dismiss', 'dismissed'],
      ['revert', 'detected'],
    ] as const) {
      const form = new URLSearchParams([
        ['action', action],
        ...ids.map((id) => ['vulnerability_ids[]', `${id}`] as [string, string]),
      ])
      expect((await server.admin.post(`/projects/${project.id}/vulnerabilities/bulk`, form)).body).toMatchObject({
        changed: 2,
      })
      expect(await statesOf(project)).toEqual([state, state])
    }
    expect(
      await bulk(project, { action: 'severity', severity: 'critical', vulnerability_ids: ids.join() }),
    ).toMatchObject({
      status: 201,
      body: { changed: 2 },
    })
    expect((await server.admin.get(`/vulnerabilities/${ids[0]}`)).body.severity).toBe('critical')
    expect(
      (await bulk(project, { action: 'severity', severity: 'reported', vulnerability_ids: ids })).body.changed,
    ).toBe(2)
    expect((await server.admin.get(`/vulnerabilities/${ids[0]}`)).body).toMatchObject({
      severity: 'low',
      severity_overridden: false,
    })
  })

  test('changes nothing when a vulnerability is not in the project, and names it', async () => {
    const { project, ids } = await projectWith(2)
    const { ids: foreign } = await projectWith(1)
    expect(await bulk(project, { action: 'confirm', vulnerability_ids: [...ids, 999_999, ...foreign] })).toMatchObject({
      status: 400,
      body: {
        message: {
          vulnerability_ids: [`not found in this project: ${foreign[0]}, 999999; nothing was changed`],
        },
      },
    })
    expect(await statesOf(project)).toEqual(['detected', 'detected'])
    expect((await server.admin.get(`/projects/${project.id}/vulnerabilities/bulk`)).body).toEqual([])
  })

  test('applies to the vulnerabilities that a filter matches, as in the list', async () => {
    const { project, ids } = await projectWith(12)
    for (const id of ids.slice(0, 3)) await server.admin.post(`/vulnerabilities/${id}/confirm`)
    for (const id of ids.slice(3, 5)) await server.admin.put(`/vulnerabilities/${id}/severity`, { severity: 'high' })
    const filter = { state: 'detected', severity: ['low', 'medium'] }
    const list = `/projects/${project.id}/vulnerabilities?state=detected&severity=low,medium&per_page=100`
    const { body: shown } = await server.admin.get(list)
    expect(shown).toHaveLength(7)
    expect((await bulk(project, { action: 'resolve', filter, expected_count: 8 })).status).toBe(409)
    const reply = await bulk(project, { action: 'resolve', filter, expected_count: 7 })
    expect(reply).toMatchObject({ status: 201, body: { changed: 7, unchanged: 0 } })
    expect((await server.admin.get(list)).body).toEqual([])
    const { body: resolved } = await server.admin.get(`/projects/${project.id}/vulnerabilities?state=resolved`)
    expect(resolved.map(({ id }: { id: number }) => id)).toEqual(shown.map(({ id }: { id: number }) => id))
    expect((await undo(project, reply.body.id)).body.restored).toBe(7)
    expect((await server.admin.get(list)).headers['x-total']).toBe('7')
    const form = new URLSearchParams({ action: 'confirm', 'filter[search]': 'Flaw 0012' })
    expect((await server.admin.post(`/projects/${project.id}/vulnerabilities/bulk`, form)).body.changed).toBe(1)
    expect((await bulk(project, { action: 'dismiss', filter: {} })).body).toMatchObject({ changed: 12 })
    expect((await bulk(project, { action: 'dismiss', filter: { severity: 'critical' } })).body.changed).toBe(0)
  })

  test('returns 409 when the number differs from expected_count', async () => {
    const { project, ids } = await projectWith(2)
    const reply = await bulk(project, { action: 'confirm', vulnerability_ids: ids, expected_count: 3 })
    expect(reply).toMatchObject({
      status: 409,
      body: { message: 'expected 3 vulnerabilities, but there are 2; look again' },
    })
    expect(await statesOf(project)).toEqual(['detected', 'detected'])
    expect((await bulk(project, { action: 'confirm', vulnerability_ids: ids, expected_count: 2 })).status).toBe(201)
  })

  test('rejects missing, conflicting and unknown parameters, and callers below Maintainer', async () => {
    const { project, ids } = await projectWith(1)
    for (const [fields, error] of [
      [
        {},
        'action is missing, vulnerability_ids, filter, filters, finding_ids, finding_filter are missing, exactly one parameter must be provided',
      ],
      [{ action: 'confirm', vulnerability_ids: ids, filter: {} }, 'vulnerability_ids, filter are mutually exclusive'],
      [{ action: 'confirm', filter: { severity: 'worst' } }, 'severity does not have a valid value'],
      [
        { action: 'confirm', filter: { sevrity: 'low', colour: 'red' } },
        expect.stringMatching(
          /^filter\[sevrity\] is not a filter, filter\[colour\] is not a filter; there are: .*severity, /,
        ),
      ],
      [{ action: 'delete', vulnerability_ids: ids }, 'action does not have a valid value'],
      [{ action: 'confirm', vulnerability_ids: [] }, 'vulnerability_ids is empty'],
      [{ action: 'confirm', vulnerability_ids: ['x'] }, 'vulnerability_ids is invalid'],
      [
        { action: 'dismiss', vulnerability_ids: ids, dismissal_reason: 'x' },
        'dismissal_reason does not have a valid value',
      ],
      [{ action: 'severity', vulnerability_ids: ids }, 'severity is missing'],
    ] as const) {
      expect(await bulk(project, fields)).toMatchObject({ status: 400, body: { error } })
    }
    expect(
      await bulk(project, { action: 'confirm', vulnerability_ids: ids, comment: 'x'.repeat(50_001) }),
    ).toMatchObject({
      status: 400,
      body: { message: { comment: ['is too long (maximum is 50000 characters)'] } },
    })
    const developer = await server.as('developer', project)
    expect((await bulk(project, { action: 'confirm', vulnerability_ids: ids }, developer)).status).toBe(403)
    expect((await developer.get(`/projects/${project.id}/vulnerabilities/bulk`)).status).toBe(200)
    expect(await statesOf(project)).toEqual(['detected'])
  })
})

describe.runIf(onSqlite)('undoing a bulk change', () => {
  test('restores the previous state, except of vulnerabilities changed since', async () => {
    const { project, ids } = await projectWith(4)
    const [a = 0, b = 0, c = 0] = ids
    const [first, second] = [await server.as('maintainer', project), await server.as('maintainer', project)]
    await first.post(`/vulnerabilities/${a}/confirm`)
    await first.post(`/vulnerabilities/${b}/dismiss`, { dismissal_reason: 'mitigating_control' })
    const before = await vulnerabilitiesOf(server, project)
    const { body: done } = await bulk(project, { action: 'resolve', vulnerability_ids: ids }, second)
    await first.post(`/vulnerabilities/${c}/revert`)
    const reply = await undo(project, done.id, second)
    expect(reply).toMatchObject({
      status: 201,
      body: { id: done.id, changed: 4, restored: 3, undone_by_id: second.user?.id, undone_at: expect.any(String) },
    })
    const after = await vulnerabilitiesOf(server, project)
    for (const [title, vulnerability] of Object.entries(before)) {
      expect(after[title]).toEqual({ ...vulnerability, updated_at: after[title].updated_at })
    }
    expect((await historyOf(server.admin, b)).at(-1)).toMatchObject({
      ...{ kind: 'state', from: 'resolved', to: 'dismissed', dismissal_reason: 'mitigating_control' },
      ...{ author: { id: second.user?.id }, details: { undoes_bulk_id: done.id } },
    })
    expect((await undo(project, done.id)).status).toBe(304)
    expect(await undo(project, 999_999)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
  })

  test('works step by step for successive changes', async () => {
    const { project, ids } = await projectWith(2)
    const steps = []
    for (const action of ['confirm', 'resolve', 'revert']) {
      steps.push((await bulk(project, { action, vulnerability_ids: ids })).body)
    }
    const [confirmed, resolved, reverted] = steps
    expect((await undo(project, reverted.id)).body.restored).toBe(2)
    expect(await statesOf(project)).toEqual(['resolved', 'resolved'])
    expect((await undo(project, resolved.id)).body.restored).toBe(2)
    await server.admin.post(`/vulnerabilities/${ids[1]}/dismiss`)
    expect((await undo(project, confirmed.id)).body.restored).toBe(1)
    expect(await statesOf(project)).toEqual(['detected', 'dismissed'])
  })

  test('restores the scanner’s severity where it was in effect', async () => {
    const { project, ids } = await projectWith(2)
    const [a = 0, b = 0] = ids
    await server.admin.put(`/vulnerabilities/${a}/severity`, { severity: 'high' })
    const { body: done } = await bulk(project, { action: 'severity', severity: 'critical', vulnerability_ids: ids })
    expect((await undo(project, done.id)).body.restored).toBe(2)
    const read = async (id: number) => (await server.admin.get(`/vulnerabilities/${id}`)).body
    expect(await read(a)).toMatchObject({ severity: 'high', severity_overridden: true })
    expect(await read(b)).toMatchObject({ severity: 'low', severity_overridden: false })
  })

  test('names the ghost user in place of a deleted user', async () => {
    const { project, ids } = await projectWith(1)
    const maintainer = await server.as('maintainer', project)
    await maintainer.post(`/vulnerabilities/${ids[0]}/confirm`)
    const { body: done } = await bulk(project, { action: 'revert', vulnerability_ids: ids })
    await server.admin.delete(`/users/${maintainer.user?.id}`)
    expect((await undo(project, done.id)).body.restored).toBe(1)
    expect((await server.admin.get(`/vulnerabilities/${ids[0]}`)).body).toMatchObject({
      state: 'confirmed',
      confirmed_by_id: expect.any(Number),
    })
  })

  test('requires the permission for bulk changes, and the change’s own project', async () => {
    const { project, ids } = await projectWith(1)
    const other = await server.project(`acme/bulk-${++projects}`)
    const { body: done } = await bulk(project, { action: 'confirm', vulnerability_ids: ids })
    expect((await undo(project, done.id, await server.as('developer', project))).status).toBe(403)
    expect((await undo(other, done.id)).status).toBe(404)
    expect(await statesOf(project)).toEqual(['confirmed'])
  })
})

describe('a bulk change of findings that await triage', () => {
  async function projectAwaiting(count: number) {
    const project = await server.project(`acme/bulk-${++projects}`)
    const entries = Array.from({ length: count }, (_, index) =>
      entry({ name: `Flaw ${index + 1}`, severity: index === 0 ? 'High' : 'Low', line: index + 1, rule: `r${index}` }),
    )
    await server.report(project, entries, { promote: 'false' })
    const { body } = await server.admin.get(`/projects/${project.id}/vulnerability_findings?has_vulnerability=false`)
    return { project, ids: body.map(({ id }: { id: number }) => id) as number[] }
  }
  const waiting = async ({ id }: TestProject) =>
    (await server.admin.get(`/projects/${id}/vulnerability_findings?has_vulnerability=false`)).body.length

  test('promotes them and applies the action in one step, and the undo leaves vulnerabilities that need triage', async () => {
    const { project, ids } = await projectAwaiting(3)
    const maintainer = await server.as('maintainer', project)
    const fields = { action: 'dismiss', dismissal_reason: 'used_in_tests', finding_ids: ids.slice(0, 2) }
    const done = await bulk(project, fields, maintainer)
    expect(done).toMatchObject({ status: 201, body: { action: 'dismiss', changed: 2, unchanged: 0 } })
    const { 'Flaw 1': first, 'Flaw 3': third } = await vulnerabilitiesOf(server, project)
    expect(first).toMatchObject({ state: 'dismissed', dismissal_reason: 'used_in_tests' })
    expect(third).toBeUndefined()
    expect(await historyOf(maintainer, first.id)).toMatchObject([
      { kind: 'created' },
      { kind: 'state', from: 'detected', to: 'dismissed', bulk_id: done.body.id },
    ])
    expect(await waiting(project)).toBe(1)
    expect(await undo(project, done.body.id, maintainer)).toMatchObject({ body: { restored: 2 } })
    expect(await statesOf(project)).toEqual(['detected', 'detected'])
    expect(await waiting(project)).toBe(1)
    expect(await disagreements(server.deps)).toEqual([])
  })

  test('selects them by a filter of the finding list, with the number that the client has shown', async () => {
    const { project } = await projectAwaiting(3)
    const fields = { action: 'confirm', finding_filter: { severity: ['low'] } }
    expect(await bulk(project, { ...fields, expected_count: 3 })).toMatchObject({ status: 409 })
    expect(await waiting(project)).toBe(3)
    expect(await bulk(project, { ...fields, expected_count: 2 })).toMatchObject({ status: 201, body: { changed: 2 } })
    expect(await statesOf(project)).toEqual(['confirmed', 'confirmed'])
    expect(await bulk(project, { ...fields, finding_filter: { color: 'red' } })).toMatchObject({ status: 400 })
  })

  test('does not overwrite what another user has decided since', async () => {
    const { project, ids } = await projectAwaiting(2)
    const created = await server.admin.post(`/projects/${project.id}/vulnerabilities`, { finding_id: ids[0] })
    expect(await bulk(project, { action: 'confirm', finding_ids: ids[0] })).toMatchObject({
      status: 201,
      body: { changed: 1 },
    })
    await server.admin.post(`/vulnerabilities/${created.body.id}/resolve`)
    const refused = await bulk(project, { action: 'dismiss', finding_ids: ids })
    expect(refused).toMatchObject({ status: 409, body: { conflicts: [{ id: created.body.id, state: 'resolved' }] } })
    // The finding beside it was not promoted either.
    expect(await waiting(project)).toBe(1)
  })

  test('of two users at once, one decides and the other gets a conflict', async () => {
    for (let attempt = 1; attempt <= 5; attempt++) {
      const { project, ids } = await projectAwaiting(20)
      const decisions = [
        { action: 'dismiss', dismissal_reason: 'used_in_tests', finding_ids: ids },
        { action: 'confirm', finding_ids: ids },
      ]
      const done = await Promise.all(decisions.map((decision) => bulk(project, decision)))
      expect(done.map(({ status }) => status).sort()).toEqual([201, 409])
      expect(new Set(await statesOf(project)).size).toBe(1)
    }
  })

  test('is refused for unknown findings, for more than 500, beside other selections and without the right to triage', async () => {
    const { project, ids } = await projectAwaiting(501)
    const developer = await server.as('developer', project)
    const one = { action: 'confirm', finding_ids: ids.slice(0, 1) }
    expect(await bulk(project, one, developer)).toMatchObject({ status: 403 })
    expect(await bulk(project, { ...one, vulnerability_ids: [1] })).toMatchObject({ status: 400 })
    expect(await bulk(project, { action: 'confirm', finding_ids: [...ids.slice(0, 1), 999_999] })).toMatchObject({
      status: 400,
    })
    const all = await bulk(project, { action: 'confirm', finding_filter: {} })
    expect(all).toMatchObject({ status: 400 })
    expect(JSON.stringify(all.body)).toContain('a change takes at most 500 findings')
    expect(await waiting(project)).toBeGreaterThan(0)
  })
})
