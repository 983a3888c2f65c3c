import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { historyOf } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
/** Creates a project with this number of unpromoted findings, the first one critical. Returns their ids in order. */
async function projectWith(count: number): Promise<{ project: TestProject; ids: number[] }> {
  const project = await server.project(`acme/waiting-${++projects}`)
  const lines = Array.from({ length: count }, (_, index) => index + 1)
  await report(
    project,
    lines.map((line) => entry({ name: `Flaw ${line}`, severity: line === 1 ? 'Critical' : 'Low', line })),
  )
  return { project, ids: (await waiting(project)).map(({ id }) => id) }
}

const report = (project: TestProject, entries: object[], fields = {}): Promise<void> =>
  server.report(project, entries, { promote: 'false', ...fields })

async function waiting(project: TestProject, query = ''): Promise<{ id: number }[]> {
  const rows: { id: number }[] = []
  for (let page = '1'; page !== ''; ) {
    const path = `/projects/${project.id}/vulnerability_findings?has_vulnerability=false&per_page=100&page=${page}`
    const { body, headers } = await server.admin.get(path + query)
    rows.push(...body)
    page = headers['x-next-page'] ?? ''
    if (page === '') expect(headers['x-total']).toBe(String(rows.length))
  }
  return rows
}

const promote = (project: TestProject, fields: object, client: Client = server.admin) =>
  client.post(`/projects/${project.id}/vulnerability_findings/bulk`, { action: 'promote', ...fields })
const totalOf = async (project: TestProject) =>
  (await server.admin.get(`/projects/${project.id}/vulnerability_statistics`)).body.total

test('the list of findings can be filtered by has_vulnerability, with a total for unpromoted findings', async () => {
  const { project, ids } = await projectWith(3)
  const [first, ...others] = ids
  expect((await server.admin.post(`/projects/${project.id}/vulnerabilities`, { finding_id: first })).status).toBe(201)
  expect((await waiting(project)).map(({ id }) => id)).toEqual(others)
  expect(await waiting(project, '&state=dismissed')).toEqual([])
  expect(await waiting(project, '&state=detected&severity=low&search=Flaw')).toHaveLength(2)
  const promoted = await server.admin.get(`/projects/${project.id}/vulnerability_findings?has_vulnerability=true`)
  expect(promoted.body.map(({ id }: { id: number }) => id)).toEqual([first])
  expect(promoted.headers['x-total']).toBeUndefined()
})

describe('bulk promotion of findings', () => {
  test('promotes the listed findings as single promotion would, and returns their number', async () => {
    const { project, ids } = await projectWith(3)
    const maintainer = await server.as('maintainer', project)
    const two = ids.slice(0, 2)
    expect(await promote(project, { finding_ids: [...two, two[0]] }, maintainer)).toMatchObject({
      status: 201,
      body: { promoted: 2, unchanged: 0 },
    })
    const { body: vulnerabilities } = await server.admin.get(`/projects/${project.id}/vulnerabilities`)
    expect(vulnerabilities).toMatchObject([
      { title: 'Flaw 1', severity: 'critical', state: 'detected', author_id: maintainer.user?.id },
      { title: 'Flaw 2', severity: 'low', state: 'detected', finding: { id: two[1] } },
    ])
    expect(await historyOf(server.admin, vulnerabilities[0].id)).toMatchObject([{ kind: 'created' }])
    expect(await totalOf(project)).toBe(2)
    expect((await promote(project, { finding_ids: ids })).body).toEqual({
      id: null,
      status: 'done',
      total: 3,
      promoted: 1,
      unchanged: 2,
      error: null,
    })
    expect(await waiting(project)).toEqual([])
  })

  test('promotes the unpromoted findings that match a filter', async () => {
    const { project, ids } = await projectWith(600)
    await promote(project, { finding_ids: ids.slice(0, 10) })
    expect((await promote(project, { filter: { severity: 'low' }, expected_count: 591 })).status).toBe(409)
    expect((await promote(project, { filter: { search: 'Flaw 600' }, expected_count: 1 })).body).toMatchObject({
      promoted: 1,
      unchanged: 0,
    })
    expect((await promote(project, { filter: { severity: ['low'] }, expected_count: 589 })).body.promoted).toBe(589)
    expect((await promote(project, { filter: {} })).body).toMatchObject({ promoted: 0, unchanged: 0 })
    expect(await totalOf(project)).toBe(600)
  })

  test('lists vulnerabilities of another branch only for that branch', async () => {
    const project = await server.project(`acme/waiting-${++projects}`)
    await report(project, [entry()], { ref: 'feature' })
    expect((await promote(project, { filter: {} })).body.promoted).toBe(0)
    expect((await promote(project, { filter: { ref: 'feature' } })).body.promoted).toBe(1)
    expect((await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body).toEqual([])
    expect((await server.admin.get(`/projects/${project.id}/vulnerabilities?ref=feature`)).body).toHaveLength(1)
  })

  test('promotes nothing when a finding is not in the project, and names that finding', async () => {
    const { project, ids } = await projectWith(2)
    const { ids: foreign } = await projectWith(1)
    expect(await promote(project, { finding_ids: [...ids, ...foreign, 999_999] })).toMatchObject({
      status: 400,
      body: { message: { finding_ids: [`not found in this project: ${foreign[0]}, 999999; nothing was changed`] } },
    })
    expect(await totalOf(project)).toBe(0)
  })

  test('creates one vulnerability per finding when two requests run concurrently', async () => {
    const { project, ids } = await projectWith(300)
    const replies = await Promise.all([promote(project, { finding_ids: ids }), promote(project, { filter: {} })])
    expect(replies.map(({ status }) => status)).toEqual([201, 201])
    expect(replies[0].body.promoted + replies[1].body.promoted).toBe(300)
    expect(await totalOf(project)).toBe(300)
  })

  test('rejects missing, conflicting and unknown parameters, and callers below Maintainer', async () => {
    const { project, ids } = await projectWith(1)
    for (const [fields, error] of [
      [{}, 'finding_ids, filter, filters are missing, exactly one parameter must be provided'],
      [{ finding_ids: ids, filter: {} }, 'finding_ids, filter are mutually exclusive'],
      [{ finding_ids: ids, action: 'dismiss' }, 'action does not have a valid value'],
      [{ filter: { severity: 'worst' } }, 'severity does not have a valid value'],
      [
        { filter: { sevrity: 'low' } },
        expect.stringMatching(/^filter\[sevrity\] is not a filter; there are: .*severity, /),
      ],
      [{ finding_ids: [] }, 'finding_ids is empty'],
    ] as const) {
      expect(await promote(project, fields)).toMatchObject({ status: 400, body: { error } })
    }
    expect((await promote(project, { finding_ids: ids }, await server.as('developer', project))).status).toBe(403)
    expect((await promote(project, { finding_ids: ids }, server.anonymous)).status).toBe(401)
    expect(await totalOf(project)).toBe(0)
  })
})
