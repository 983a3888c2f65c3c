import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

const some = (count: number) => Array.from({ length: count }, (_, line) => entry({ line: line + 1, rule: `r${line}` }))

/** Returns a project with findings that await promotion. */
async function waiting(path: string, count: number): Promise<TestProject> {
  const project = await server.project(path)
  await server.report(project, some(count), { promote: 'false' })
  return project
}

const join = (client: Client, place: string, level: number) =>
  server.admin.post(`/${place}/members`, { user_id: client.user?.id, access_level: level })

async function waitingIn(path: string): Promise<number> {
  return (await server.admin.get(`${path}/vulnerability_statistics`)).body.waiting_findings
}

describe('the promotion of everything that awaits it', () => {
  test('in a group promotes the findings of its projects and subgroups, and nothing else', async () => {
    const site = await waiting('first/site', 3)
    const shop = await waiting('first/shop', 2)
    const other = await waiting('other/site', 1)
    await server.report(shop, some(5), { ref: 'feature', promote: 'false' })
    const group = `/groups/${site['namespace'].id}`
    expect(await waitingIn(group)).toBe(5)
    const sent = await server.admin.post(`${group}/vulnerability_finding_promotions`)
    expect(sent).toMatchObject({ status: 202, body: { skipped: [] } })
    expect(sent.body.started).toEqual([
      {
        project: { id: site.id, path_with_namespace: 'first/site', web_url: site['web_url'] },
        promotion: { id: expect.any(Number), status: 'running', total: 3, promoted: 0, unchanged: 0, error: null },
      },
      { project: expect.objectContaining({ id: shop.id }), promotion: expect.objectContaining({ total: 2 }) },
    ])
    await server.runJobs()
    const [{ promotion }] = sent.body.started
    const path = `/projects/${site.id}/vulnerability_finding_promotions/${promotion.id}`
    expect((await server.admin.get(path)).body).toMatchObject({ status: 'done', promoted: 3 })
    expect([await waitingIn(group), await waitingIn(`/projects/${other.id}`)]).toEqual([0, 1])
    expect((await server.admin.get(`/projects/${shop.id}/vulnerability_statistics`)).body.total).toBe(2)
    const again = await server.admin.post(`${group}/vulnerability_finding_promotions`)
    expect(again).toMatchObject({ status: 202, body: { started: [], skipped: [] } })
  })

  test('skips projects in which the caller may not promote, and archived ones', async () => {
    const [own, readable, hidden, archived] = await Promise.all(
      ['own', 'readable', 'hidden', 'archived'].map((name) => waiting(`mixed/${name}`, 2)),
    )
    if (!own || !readable || !hidden || !archived) throw new Error('there are four')
    const user = await server.user('mixed-user')
    await join(user, `projects/${own.id}`, 40)
    await join(user, `projects/${readable.id}`, 30)
    await join(user, `projects/${archived.id}`, 40)
    await server.admin.post(`/projects/${archived.id}/archive`)
    const { status, body } = await user.post('/vulnerability_finding_promotions')
    expect(status).toBe(202)
    const ids = (rows: { id: number; archived: boolean }[]) => rows.map(({ id, archived }) => [id, archived]).sort()
    expect(body.started.map(({ project }: { project: TestProject }) => project.id)).toEqual([own.id])
    expect(ids(body.skipped)).toEqual(
      [
        [readable.id, false],
        [archived.id, true],
      ].sort(),
    )
    await server.runJobs()
    for (const [project, count] of [[own, 0] as const, [readable, 2] as const, [hidden, 2] as const]) {
      expect(await waitingIn(`/projects/${project.id}`)).toBe(count)
    }
  })

  test('of all projects can be narrowed to a group, projects or topics', async () => {
    const [one, two] = [await waiting('narrow/one', 1), await waiting('narrow/two', 1)]
    const user = await server.user('narrow-user')
    await join(user, `groups/${one['namespace'].id}`, 40)
    const promote = (query: string) => user.post(`/vulnerability_finding_promotions?${query}`)
    expect((await promote(`project_id[]=${two.id}`)).body.started).toMatchObject([{ project: { id: two.id } }])
    expect((await promote('topic=none')).body.started).toEqual([])
    expect((await promote('group_id=999999')).status).toBe(404)
    await server.runJobs()
    expect(await waitingIn(`/projects/${one.id}`)).toBe(1)
  })

  test('requires a user with the scope api', async () => {
    const project = await waiting('scoped/site', 1)
    const reader = await server.client(await server.as('maintainer', project), { scopes: ['read_api'] })
    const group = `/groups/${project['namespace'].id}/vulnerability_finding_promotions`
    for (const path of ['/vulnerability_finding_promotions', group]) {
      expect((await reader.post(path)).status).toBe(403)
      expect((await server.anonymous.post(path)).status).toBe(401)
    }
    const ofStranger = await (await server.user('stranger')).post(group)
    expect(ofStranger).toMatchObject({ status: 202, body: { started: [], skipped: [] } })
  })
})
