import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const roles = ['guest', 'planner', 'reporter', 'developer', 'maintainer', 'owner'] as const
const visibilities = ['private', 'internal', 'public'] as const
const readers = new Set<string>(['developer', 'maintainer', 'owner'])

let server: TestServer
let projects: Record<(typeof visibilities)[number] | 'archived', TestProject>

beforeAll(async () => {
  server = await startServer()
  projects = {
    private: await server.project('acme/private'),
    internal: await server.project('acme/internal', { visibility: 'internal' }),
    public: await server.project('open/public', { visibility: 'public' }),
    archived: await server.project('open/archived'),
  }
  for (const [name, project] of Object.entries(projects)) {
    await server.report(project, [
      entry({ line: 1, severity: name === 'public' ? 'Critical' : 'High', name: `Flaw in ${name}` }),
    ])
  }
  await server.admin.put(`/projects/${projects.public.id}`, { topics: ['web', 'shop'] })
  await server.admin.put(`/projects/${projects.private.id}`, { topics: ['web'] })
  await server.admin.post(`/projects/${projects.archived.id}/archive`)
})

const titlesOf = (body: { title: string }[]) => body.map(({ title }) => title)

/** Everything that the instance-wide routes show a caller: titles, totals and names of projects. */
async function seenBy(client: Client, query = '') {
  const list = await client.get(`/vulnerabilities?${query}`)
  const summary = await client.get(`/vulnerabilities/summary?${query}`)
  const { body: statistics, status } = await client.get(`/vulnerability_statistics?${query}`)
  expect([list.status, summary.status, status]).toEqual([200, 200, 200])
  expect([list.headers['x-total'], summary.body.total]).toEqual([`${list.body.length}`, list.body.length])
  expect(summary.body.scanners.map(({ total }: { total: number }) => total)).toEqual(
    list.body.length > 0 ? [list.body.length] : [],
  )
  return {
    titles: titlesOf(list.body),
    total: statistics.total,
    projects: statistics.projects,
    affected: statistics.most_affected_projects.map((row: { path_with_namespace: string }) => row.path_with_namespace),
    lastDay: statistics.per_day.at(-1).total,
  }
}

const nothing = { titles: [], total: 0, projects: 0, affected: [], lastDay: 0 }
const allOf = (project: TestProject, name: string) => ({
  titles: [`Flaw in ${name}`],
  total: 1,
  projects: 1,
  affected: [project['path_with_namespace']],
  lastDay: 1,
})

describe('GET /vulnerabilities', () => {
  test('requires a token', async () => {
    for (const path of ['/vulnerabilities', '/vulnerabilities/summary', '/vulnerability_statistics']) {
      expect(await server.anonymous.get(path)).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } })
    }
  })

  test.each(visibilities)('lists a project that is %s only to its developers and higher roles', async (visibility) => {
    const project = projects[visibility]
    for (const role of [...roles, 'outsider'] as const) {
      const client = await server.as(role, project)
      expect([role, await seenBy(client)]).toEqual([role, readers.has(role) ? allOf(project, visibility) : nothing])
    }
  })

  test('lists to external users only projects in which they are developers', async () => {
    const external = await server.user('external', { external: true })
    expect(await seenBy(external)).toEqual(nothing)
    const member = { user_id: external.user?.id, access_level: 30 }
    await server.admin.post(`/projects/${projects.internal.id}/members`, member)
    expect(await seenBy(external)).toEqual(allOf(projects.internal, 'internal'))
  })

  test('lists archived projects', async () => {
    const client = await server.as('developer', projects.archived)
    expect(await seenBy(client)).toEqual(allOf(projects.archived, 'archived'))
  })

  test('follows changed memberships of projects and groups at once', async () => {
    const client = await server.user('changing')
    const member = { user_id: client.user?.id, access_level: 30 }
    expect(await seenBy(client)).toEqual(nothing)
    await server.admin.post('/groups/acme/members', member)
    expect((await seenBy(client)).titles).toEqual(['Flaw in internal', 'Flaw in private'])
    await server.admin.put(`/groups/acme/members/${client.user?.id}`, { access_level: 20 })
    expect(await seenBy(client)).toEqual(nothing)
    await server.admin.post(`/projects/${projects.public.id}/members`, member)
    expect(await seenBy(client)).toEqual(allOf(projects.public, 'public'))
    await server.admin.delete(`/projects/${projects.public.id}/members/${client.user?.id}`)
    expect(await seenBy(client)).toEqual(nothing)
  })

  test('rejects a blocked user', async () => {
    const client = await server.as('developer', projects.private)
    expect((await seenBy(client)).total).toBe(1)
    await server.admin.post(`/users/${client.user?.id}/block`)
    for (const path of ['/vulnerabilities', '/vulnerability_statistics']) {
      expect((await client.get(path)).status).toBe(403)
    }
  })

  test('lists all projects to administrators, most severe first, with their projects', async () => {
    const { body } = await server.admin.get('/vulnerabilities')
    expect(titlesOf(body)).toEqual(['Flaw in public', 'Flaw in archived', 'Flaw in internal', 'Flaw in private'])
    expect(body[0]).toMatchObject({ project: { id: projects.public.id, path_with_namespace: 'open/public' } })
  })

  test('selects projects by id, group and topics', async () => {
    const groupId = (await server.admin.get('/groups/acme')).body.id
    const titles = async (query: string) => (await seenBy(server.admin, query)).titles
    expect(await titles(`project_id[]=${projects.private.id}&project_id[]=${projects.public.id}`)).toEqual([
      'Flaw in public',
      'Flaw in private',
    ])
    expect(await titles(`group_id=${groupId}`)).toEqual(['Flaw in internal', 'Flaw in private'])
    expect(await titles('topic=web')).toEqual(['Flaw in public', 'Flaw in private'])
    expect(await titles('topic=web,shop')).toEqual(['Flaw in public'])
    expect(await titles(`topic=web&group_id=${groupId}`)).toEqual(['Flaw in private'])
    expect(await titles('topic=unknown')).toEqual([])
    expect(await titles('project_id=999999')).toEqual([])
    expect(titlesOf((await server.admin.get('/vulnerabilities?severity=critical')).body)).toEqual(['Flaw in public'])
    expect(titlesOf((await server.admin.get('/vulnerabilities?search=archived')).body)).toEqual(['Flaw in archived'])
  })

  test('does not widen what the caller may read by a filter', async () => {
    const client = await server.as('developer', projects.internal)
    expect((await seenBy(client, `project_id=${projects.private.id}`)).titles).toEqual([])
    expect((await seenBy(client, 'topic=web')).titles).toEqual([])
    const groupId = (await server.admin.get('/groups/acme')).body.id
    expect(await seenBy(client, `group_id=${groupId}`)).toEqual(allOf(projects.internal, 'internal'))
  })

  test('responds with 404 for a group that the caller cannot see, as for one that does not exist', async () => {
    const hidden = (await server.admin.post('/groups', { name: 'h', path: 'hidden', visibility: 'private' })).body
    const client = await server.user('stranger')
    for (const id of [hidden.id, 999_999]) {
      for (const path of ['/vulnerabilities', '/vulnerabilities/summary', '/vulnerability_statistics']) {
        expect(await client.get(`${path}?group_id=${id}`)).toMatchObject({
          status: 404,
          body: { message: '404 Group Not Found' },
        })
      }
    }
  })

  test('has page numbers and cursors', async () => {
    const first = await server.admin.get('/vulnerabilities?pagination=keyset&per_page=3')
    expect(titlesOf(first.body)).toHaveLength(3)
    const cursor = /[?&]cursor=([^&>]+)/.exec(String(first.headers['link']))?.[1]
    const next = await server.admin.get(`/vulnerabilities?pagination=keyset&per_page=3&cursor=${cursor}`)
    expect(titlesOf(next.body)).toEqual(['Flaw in private'])
    const second = await server.admin.get('/vulnerabilities?per_page=3&page=2')
    expect(second.body).toEqual(next.body)
    expect(second.headers['x-total']).toBe('4')
  })

  test('rejects unknown filters and keeps single vulnerabilities readable', async () => {
    expect((await server.admin.get('/vulnerabilities?sverity=high')).status).toBe(400)
    const [{ id }] = (await server.admin.get('/vulnerabilities')).body
    expect((await server.admin.get(`/vulnerabilities/${id}`)).body).toMatchObject({ id, title: 'Flaw in public' })
  })
})

test('the statistics of many projects rank projects and count the findings that await promotion', async () => {
  const server = await startServer()
  const [shop, site, idle] = [
    await server.project('top/shop'),
    await server.project('top/site'),
    await server.project('top/idle'),
  ]
  const some = (severity: string, count: number) =>
    Array.from({ length: count }, (_, line) => entry({ line: line + 1, severity, rule: `${severity}-${line}` }))
  await server.report(shop, [...some('High', 3), ...some('Low', 1)])
  await server.report(site, [...some('Critical', 1), ...some('High', 1)])
  await server.report(site, some('Medium', 2), { promote: 'false', category: 'other' })
  await server.report(idle, some('Low', 3), { promote: 'false' })
  await server.report(idle, some('Info', 1), { promote: 'false', ref: 'feature' })

  for (const path of ['/vulnerability_statistics', '/groups/top/vulnerability_statistics']) {
    const { body } = await server.admin.get(path)
    expect(body).toMatchObject({ projects: 3, total: 6, critical: 1, high: 4, letter_grade: null, waiting_findings: 5 })
    expect(body.most_affected_projects).toEqual([
      expect.objectContaining({ id: site.id, critical: 1, high: 1, total: 2, letter_grade: null, waiting_findings: 2 }),
      expect.objectContaining({ id: shop.id, critical: 0, high: 3, total: 4, letter_grade: 'D', waiting_findings: 0 }),
    ])
    expect(body.waiting_projects).toEqual([
      expect.objectContaining({ path_with_namespace: 'top/idle', letter_grade: null, waiting_findings: 3 }),
      expect.objectContaining({ path_with_namespace: 'top/site', name_with_namespace: 'top / site' }),
    ])
  }
  const { body } = await server.admin.get(`/projects/${idle.id}/vulnerability_statistics`)
  expect(body).toMatchObject({ total: 0, letter_grade: null, waiting_findings: 3 })
})
