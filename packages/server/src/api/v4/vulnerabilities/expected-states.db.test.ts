import { beforeAll, describe, expect, test } from 'vitest'
import { onSqlite } from '../../../testing/databases/database.ts'
import { historyOf, vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
async function projectWith(count: number): Promise<{ project: TestProject; ids: number[] }> {
  const project = await server.project(`acme/expected-${++projects}`)
  const lines = Array.from({ length: count }, (_, index) => index + 1)
  await server.report(
    project,
    lines.map((line) => entry({ name: `Flaw ${line}`, line, rule: `r${line}` })),
  )
  const ids = Object.values(await vulnerabilitiesOf(server, project)).map(({ id }) => id)
  return { project, ids: ids.sort((a, b) => a - b) }
}
const stateOf = async (id: number | undefined) => (await server.admin.get(`/vulnerabilities/${id}`)).body.state

describe('expected_state', () => {
  test.runIf(onSqlite)(
    'protects another user’s change, and the response has the current state and its author',
    async () => {
      const { project, ids } = await projectWith(1)
      const [id] = ids
      const colleague = await server.as('maintainer', project)
      await colleague.post(`/vulnerabilities/${id}/resolve`)
      const fields = { expected_state: 'detected', dismissal_reason: 'false_positive' }
      expect(await server.admin.post(`/vulnerabilities/${id}/dismiss`, fields)).toMatchObject({
        status: 409,
        body: {
          message: '1 vulnerability is in another state than expected; nothing was changed',
          conflict_count: 1,
          conflicts: [
            {
              ...{ id, expected_state: 'detected', state: 'resolved', changed_at: expect.any(String) },
              changed_by: { id: colleague.user?.id, username: colleague.user?.username },
            },
          ],
        },
      })
      expect(await stateOf(id)).toBe('resolved')
      expect(await historyOf(server.admin, id ?? 0)).toHaveLength(2)
      const again = await server.admin.post(`/vulnerabilities/${id}/dismiss`, { ...fields, expected_state: 'resolved' })
      expect(again).toMatchObject({ status: 201, body: { state: 'dismissed' } })
    },
  )

  test.each(['confirm', 'resolve', 'dismiss', 'revert'])(
    'is checked by %s, which ignores the state without it',
    async (action) => {
      const { ids } = await projectWith(1)
      const [id] = ids
      const from = action === 'confirm' ? 'resolve' : 'confirm'
      await server.admin.post(`/vulnerabilities/${id}/${from}`)
      const reply = await server.admin.post(`/vulnerabilities/${id}/${action}`, { expected_state: 'dismissed' })
      expect(reply.status).toBe(409)
      expect((await server.admin.post(`/vulnerabilities/${id}/${action}`, { expected_state: 'odd' })).body).toEqual({
        error: 'expected_state does not have a valid value',
      })
      expect(await stateOf(id)).toBe(`${from}${from === 'confirm' ? 'ed' : 'd'}`)
      expect((await server.admin.post(`/vulnerabilities/${id}/${action}`)).status).toBe(201)
    },
  )

  test('lets one of two concurrent requests succeed', async () => {
    const { ids } = await projectWith(1)
    const [id] = ids
    const both = await Promise.all(
      ['resolve', 'dismiss'].map((action) =>
        server.admin.post(`/vulnerabilities/${id}/${action}`, { expected_state: 'detected' }),
      ),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    const done = both.find(({ status }) => status === 201)
    expect(both.find(({ status }) => status === 409)?.body.conflicts).toMatchObject([{ id, state: done?.body.state }])
    expect(await stateOf(id)).toBe(done?.body.state)
  })
})

describe('expected_states', () => {
  const bulk = (project: TestProject, fields: object) =>
    server.admin.post(`/projects/${project.id}/vulnerabilities/bulk`, fields)

  test.runIf(onSqlite)('rejects a bulk change as a whole, with the number of conflicts and the first 20', async () => {
    const { project, ids } = await projectWith(40)
    const colleague = await server.as('maintainer', project)
    await colleague.post(`/projects/${project.id}/vulnerabilities/bulk`, {
      ...{ action: 'dismiss', vulnerability_ids: ids.slice(0, 30), dismissal_reason: 'used_in_tests' },
    })
    const expected_states = Object.fromEntries(ids.map((id) => [id, 'detected']))
    const reply = await bulk(project, { action: 'confirm', vulnerability_ids: ids, expected_states })
    expect(reply).toMatchObject({ status: 409, body: { conflict_count: 30 } })
    expect(reply.body.conflicts).toHaveLength(20)
    expect(reply.body.conflicts[0]).toMatchObject({
      ...{ id: ids[0], expected_state: 'detected', state: 'dismissed' },
      changed_by: { username: colleague.user?.username },
    })
    expect(await stateOf(ids[39])).toBe('detected')
    expect((await server.admin.get(`/projects/${project.id}/vulnerabilities/bulk`)).body).toHaveLength(1)

    for (const id of ids.slice(0, 30)) expected_states[id] = 'dismissed'
    const now = await bulk(project, { action: 'confirm', vulnerability_ids: ids, expected_states })
    expect(now).toMatchObject({ status: 201, body: { changed: 40 } })
  })

  test('lets one of two concurrent bulk changes succeed', async () => {
    const { project, ids } = await projectWith(20)
    const expected_states = Object.fromEntries(ids.map((id) => [id, 'detected']))
    const both = await Promise.all(
      ['confirm', 'resolve'].map((action) => bulk(project, { action, vulnerability_ids: ids, expected_states })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    const state = both[0]?.status === 201 ? 'confirmed' : 'resolved'
    expect(await Promise.all(ids.map(stateOf))).toEqual(ids.map(() => state))
  })

  test.runIf(onSqlite).each([
    [{ expected_states: { 0: 'detected' } }, 'expected_states[0] is invalid'],
    [{ expected_states: { one: 'detected' } }, 'expected_states[one] is invalid'],
    [{ filter: {}, vulnerability_ids: undefined, expected_states: {} }, 'expected_states needs vulnerability_ids'],
  ])('rejects invalid ids: %j', async (fields, error) => {
    const { project, ids } = await projectWith(1)
    const reply = await bulk(project, { action: 'confirm', vulnerability_ids: ids, ...fields })
    expect(reply).toMatchObject({ status: 400, body: { error } })
    const odd = await bulk(project, {
      action: 'confirm',
      vulnerability_ids: ids,
      expected_states: { [ids[0] ?? 0]: 'odd' },
    })
    expect(odd).toMatchObject({ status: 400, body: { error: `expected_states[${ids[0]}] is invalid` } })
    expect(await stateOf(ids[0])).toBe('detected')
  })
})
