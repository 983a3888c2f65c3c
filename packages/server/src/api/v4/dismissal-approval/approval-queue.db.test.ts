import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let shop: TestProject
let bank: TestProject
let ada: Client
let ben: Client
const ids: number[] = []

/** Ada is a maintainer of both projects, Ben of the shop and a developer of the bank. Ada has two requests in each. */
beforeAll(async () => {
  server = await startServer()
  const { admin } = server
  ada = await server.user('ada')
  ben = await server.user('ben')
  shop = await ruled('acme/shop')
  bank = await ruled('fund/bank')
  for (const [project, client, level] of [
    ...([
      [shop, ada, 40],
      [shop, ben, 40],
      [bank, ada, 40],
      [bank, ben, 30],
    ] as const),
  ]) {
    await admin.post(`/projects/${project.id}/members`, { user_id: client.user?.id, access_level: level })
  }
  for (const project of [shop, bank]) {
    const found = await vulnerabilitiesOf(server, project)
    for (const title of ['Critical', 'High']) {
      ids.push((await ada.post(`/vulnerabilities/${found[title].id}/dismiss`)).body.dismissal_request_id)
    }
  }
})

async function ruled(path: string): Promise<TestProject> {
  const project = await server.project(path)
  const severities = ['Critical', 'High']
  await server.report(
    project,
    severities.map((severity, index) => entry({ name: severity, severity, line: index + 1, rule: severity })),
  )
  await server.admin.put(`/projects/${project.id}/dismissal_approval`, { severity: 'high' })
  return project
}

const listed = async (client: Client, query = '') => {
  const { status, body } = await client.get(`/dismissal_requests?${query}`)
  expect(status).toBe(200)
  return body.map(({ id }: { id: number }) => id)
}
const newest = () => [...ids].reverse()

describe('GET /dismissal_requests', () => {
  test('lists requests of all projects where the caller may decide or has requested, newest first', async () => {
    const [first, second] = ids
    expect(await listed(ada)).toEqual(newest())
    // A developer may read vulnerabilities of the bank and not decide about them.
    expect(await listed(ben)).toEqual([second, first])
    expect(await listed(server.admin)).toEqual(newest())
    expect(await listed(await server.user('outsider'))).toEqual([])
    expect((await server.anonymous.get('/dismissal_requests')).status).toBe(401)
    const { body } = await ben.get('/dismissal_requests?per_page=1')
    expect(body).toMatchObject([
      {
        ...{ id: second, project_id: shop.id, state: 'pending', can_decide: true },
        vulnerability: { severity: 'high', title: 'High' },
        requested_by: { id: ada.user?.id },
        project: { id: shop.id, path_with_namespace: 'acme/shop', web_url: shop['web_url'] },
      },
    ])
    expect((await ada.get('/dismissal_requests')).body.map((one: { can_decide: boolean }) => one.can_decide)).toEqual([
      ...[false, false, false, false],
    ])
  })

  test('filters by side, severity, project, group and state', async () => {
    const [first = 0, second = 0, third = 0, fourth = 0] = ids
    expect(await listed(ada, 'side=to_decide')).toEqual([])
    expect(await listed(ada, 'side=requested')).toEqual(newest())
    expect(await listed(ben, 'side=to_decide&severity=critical')).toEqual([first])
    expect(await listed(ben, 'side=requested')).toEqual([])
    expect(await listed(ada, 'severity=critical,high')).toEqual(newest())
    expect(await listed(ada, `project_id=${bank.id}`)).toEqual([fourth, third])
    expect(await listed(ben, `project_id=${bank.id}`)).toEqual([])
    expect(await listed(ada, `group_id=${shop['namespace'].id}`)).toEqual([second, first])
    expect(await listed(ada, 'state=approved')).toEqual([])
    for (const query of ['state=open', 'side=mine', 'severity=worst', 'owner=me']) {
      expect((await ada.get(`/dismissal_requests?${query}`)).status).toBe(400)
    }
    expect((await ada.get('/dismissal_requests?group_id=999999')).status).toBe(404)
  })

  test('does not offer requests to the person who created the token that made them', async () => {
    const { body } = await server.admin.get('/dismissal_requests')
    expect(body.map((one: { can_decide: boolean }) => one.can_decide)).toEqual([false, false, false, false])
    expect(await listed(server.admin, 'side=to_decide')).toEqual([])
    expect(await listed(await server.user('chris', { admin: true }), 'side=to_decide')).toEqual(newest())
  })

  test('has totals with page numbers, and cursors without', async () => {
    const first = await ada.get('/dismissal_requests?per_page=3')
    expect(first.headers['x-total']).toBe('4')
    const pages: number[][] = []
    let path: string | undefined = '/dismissal_requests?per_page=3&pagination=keyset'
    while (path) {
      const { body, headers } = await ada.get(path)
      pages.push(body.map(({ id }: { id: number }) => id))
      expect(headers['x-total']).toBeUndefined()
      path = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(String(headers.link ?? ''))?.[1]
    }
    expect(pages).toEqual([newest().slice(0, 3), newest().slice(3)])
  })

  test('hides requests of a project that the requester may no longer read', async () => {
    await server.admin.delete(`/projects/${bank.id}/members/${ada.user?.id}`)
    expect(await listed(ada)).toEqual(newest().slice(2))
    await server.admin.post(`/projects/${bank.id}/members`, { user_id: ada.user?.id, access_level: 40 })
    expect(await listed(ada)).toEqual(newest())
  })
})
