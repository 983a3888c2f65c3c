import { AsyncLocalStorage } from 'node:async_hooks'
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer } from '../../../testing/server.ts'

const read = async (client: Client, path = '/security_dashboard') => {
  const { status, body } = await client.get(path)
  expect([path, status, body]).toEqual([path, 200, body])
  return body
}
const names = (projects: { path_with_namespace: string }[]) => projects.map((one) => one.path_with_namespace)

test.runIf(onSqlite)(
  'the dashboard has the work of the caller, projects without a scan, silent scanners and recent changes',
  async () => {
    const clock = { now: '2026-03-01T10:00:00.000Z' }
    const server = await startServer({ clock })
    const shop = await server.project('acme/shop')
    const site = await server.project('acme/site')
    const empty = await server.project('acme/empty')
    const user = await server.as('maintainer', shop)
    for (const project of [site, empty]) {
      const added = await server.admin.post(`/projects/${project.id}/members`, {
        ...{ user_id: user.user?.id, access_level: 40 },
      })
      expect(added.status).toBe(201)
    }
    expect(await read(user)).toMatchObject({
      ...{ assigned_to_me: 0, awaiting_approval: 0, activity: [], silent_scanners: { total: 0, scanners: [] } },
      unscanned: { total: 3 },
    })
    const findings = [
      entry({ line: 1, severity: 'High', name: 'Injection', rule: 'a' }),
      entry({ line: 2, severity: 'Low', name: 'Weak hash', rule: 'b' }),
    ]
    await server.report(site, findings)
    await server.report(shop, [], { ref: 'feature' })

    clock.now = '2026-03-20T10:00:00.000Z'
    await server.report(shop, findings)
    clock.now = '2026-03-20T11:00:00.000Z'
    await server.report(shop, findings)
    const { body: rows } = await user.get(`/projects/${shop.id}/vulnerabilities`)
    const ids = rows.map(({ id }: { id: number }) => id)
    await user.post(`/projects/${shop.id}/vulnerability_bulk_changes`, {
      ...{ action: 'assign', vulnerability_ids: ids, assignee_id: user.user?.id },
    })
    clock.now = '2026-03-20T12:00:00.000Z'
    expect((await user.post(`/vulnerabilities/${ids[0]}/confirm`)).status).toBe(201)
    clock.now = '2026-03-20T12:10:00.000Z'
    const bulk = await user.post(`/projects/${shop.id}/vulnerability_bulk_changes`, {
      ...{ action: 'confirm', vulnerability_ids: ids },
    })
    expect(bulk.body).toMatchObject({ changed: 1 })
    clock.now = '2026-03-20T14:00:00.000Z'
    expect((await user.post(`/vulnerabilities/${ids[1]}/resolve`)).status).toBe(201)

    const body = await read(user)
    expect(body).toMatchObject({ assigned_to_me: 1, unscanned: { total: 1 } })
    expect(names(body.unscanned.projects)).toEqual(['acme/empty'])
    expect(body.silent_scanners).toMatchObject({
      total: 1,
      scanners: [{ project: { path_with_namespace: 'acme/site' }, last_report_at: '2026-03-01T10:00:00.000Z' }],
    })
    expect(body.activity).toMatchObject([
      {
        kind: 'triage',
        author: { id: user.user?.id },
        triage: { action: 'resolve', total: 1, vulnerability: { id: ids[1] } },
      },
      {
        kind: 'triage',
        created_at: '2026-03-20T12:10:00.000Z',
        triage: { action: 'confirm', total: 2, vulnerability: null },
      },
      { kind: 'import', author: null, import: { new: 2, absent: 0 }, project: { path_with_namespace: 'acme/shop' } },
      { kind: 'import', project: { path_with_namespace: 'acme/site' } },
    ])
    expect(body.activity).toHaveLength(4)
    expect(await read(user, '/groups/acme/security_dashboard')).toEqual(body)
    const statistics = (await user.get('/vulnerability_statistics')).body
    expect(statistics.most_affected_projects).toMatchObject([
      { path_with_namespace: 'acme/site', last_scan_at: '2026-03-01T10:00:00.000Z' },
      { path_with_namespace: 'acme/shop', last_scan_at: '2026-03-20T11:00:00.000Z' },
    ])
    expect((await user.get(`/projects/${empty.id}/vulnerability_statistics`)).body.last_scan_at).toBe(null)
    expect((await user.get(`/projects/${site.id}/vulnerability_statistics`)).body.last_scan_at).toBe(
      '2026-03-01T10:00:00.000Z',
    )

    // A report ends the silence; after 90 days a scanner counts as removed, and after 30 days changes are old.
    await server.report(site, findings)
    expect((await read(user)).silent_scanners.total).toBe(0)
    clock.now = '2026-04-10T10:00:00.000Z'
    expect((await read(user)).silent_scanners.total).toBe(2)
    clock.now = '2026-08-01T10:00:00.000Z'
    expect(await read(user)).toMatchObject({ silent_scanners: { total: 0 }, activity: [] })
  },
)

test.runIf(onSqlite)('the dashboard has nothing of projects that the caller may not read', async () => {
  const server = await startServer()
  const hidden = await server.project('acme/hidden', { visibility: 'public' })
  await server.admin.post('/groups', { name: 'Own', path: 'own', visibility: 'private' })
  const own = await server.project('own/one')
  await server.report(hidden, [entry({ line: 1 })])
  const reporter = await server.as('reporter', hidden)
  const nothing = {
    ...{ assigned_to_me: 0, awaiting_approval: 0, unscanned: { total: 0, projects: [] } },
    ...{ silent_scanners: { total: 0, scanners: [] }, activity: [] },
  }
  expect(await read(reporter)).toEqual(nothing)
  expect(await read(reporter, '/groups/acme/security_dashboard')).toEqual(nothing)
  const stranger = await server.user('stranger')
  expect(await read(stranger)).toEqual(nothing)
  expect((await stranger.get('/groups/own/security_dashboard')).status).toBe(404)
  expect((await server.anonymous.get('/security_dashboard')).status).toBe(401)
  expect(await read(server.admin, `/security_dashboard?project_id=${own.id}`)).toMatchObject({
    unscanned: { total: 1, projects: [{ id: own.id }] },
    activity: [],
  })
  expect((await read(server.admin)).activity).toHaveLength(1)
  expect((await server.admin.get('/security_dashboard?severity=high')).status).toBe(400)
})

test('a dismissal that someone else requested awaits approval', async () => {
  const server = await startServer()
  const project = await server.project('acme/ruled')
  const [asker, approver] = [await server.as('maintainer', project), await server.as('maintainer', project)]
  const { id } = await server.vulnerability(project)
  await server.admin.put(`/projects/${project.id}/dismissal_approval`, { severity: 'info' })
  expect((await asker.post(`/vulnerabilities/${id}/dismiss`, { dismissal_reason: 'false_positive' })).status).toBe(202)
  expect((await read(asker)).awaiting_approval).toBe(0)
  expect((await read(approver)).awaiting_approval).toBe(1)
})

test.runIf(onSqlite)('the dashboard takes the same number of statements for many projects', async () => {
  const request = new AsyncLocalStorage<{ statements: number }>()
  const server = await startServer({
    observe: () => {
      const counted = request.getStore()
      if (counted) counted.statements++
    },
  })
  const count = async () => {
    const counted = { statements: 0 }
    await request.run(counted, () => read(server.admin))
    return counted.statements
  }
  const create = async (name: string) => server.report(await server.project(`acme/${name}`), [entry({ line: 1 })])
  await create('one')
  const first = await count()
  for (const name of ['two', 'three', 'four']) await create(name)
  const later = await count()
  const again = await count()
  expect({ first, later, again }).toEqual({ first: 10, later: 10, again: 6 })
})

test.runIf(onSqlite)(
  'the activity is paged, can be narrowed to a project, and counts new critical findings',
  async () => {
    const server = await startServer()
    const [shop, site] = [await server.project('acme/shop'), await server.project('acme/site')]
    const member = await server.as('developer', shop)
    const critical = entry({ line: 1, severity: 'Critical', name: 'Injection', rule: 'a' })
    await server.report(shop, [critical, entry({ line: 2, severity: 'Low', rule: 'b' })])
    await server.report(site, [entry({ line: 1, severity: 'Critical' })])
    await server.report(shop, [critical])
    const path = '/security_dashboard/activity'
    const { body, headers } = await member.get(`${path}?per_page=1`)
    expect(headers['x-total']).toBe('2')
    expect(body).toMatchObject([{ kind: 'import', import: { absent: 1, critical: 0 }, project: { id: shop.id } }])
    const second = await member.get(`${path}?per_page=1&page=2`)
    expect(second.body).toMatchObject([{ import: { new: 2, critical: 1 }, project: { id: shop.id } }])
    expect((await member.get(`${path}?project_id=${site.id}`)).body).toEqual([])
    const all = (await server.admin.get(path)).body.map((one: { project: { id: number } }) => one.project.id)
    expect(all).toEqual([shop.id, site.id, shop.id])
    expect((await server.admin.get(`${path}?project_id=${site.id}`)).body).toHaveLength(1)
    expect((await server.anonymous.get(path)).status).toBe(401)
    expect((await member.get(`${path}?group_id=999999`)).status).toBe(404)
    expect((await member.get(`${path}?state=any`)).status).toBe(400)
  },
)

test('keyset pages of the activity reach entries of any age, in order and once each', async () => {
  const clock = { now: '2025-01-01T10:00:00.000Z' }
  const server = await startServer({ clock })
  const [shop, site] = [await server.project('acme/shop'), await server.project('acme/site')]
  const user = await server.as('maintainer', shop)
  const findings = [entry({ line: 1, rule: 'a' }), entry({ line: 2, rule: 'b' })]
  await server.report(site, findings)
  await server.report(shop, findings)
  const { body: rows } = await user.get(`/projects/${shop.id}/vulnerabilities`)
  const ids = rows.map(({ id }: { id: number }) => id)
  const at = async (now: string, path: string, body = {}) => {
    clock.now = now
    expect((await user.post(path, body)).status).toBe(201)
  }
  await at('2025-02-01T10:00:00.000Z', `/vulnerabilities/${ids[0]}/confirm`)
  await at('2025-02-01T10:10:00.000Z', `/vulnerabilities/${ids[1]}/confirm`)
  const resolve = { action: 'resolve', vulnerability_ids: ids }
  await at('2025-05-01T10:00:00.000Z', `/projects/${shop.id}/vulnerability_bulk_changes`, resolve)
  await at('2025-07-01T10:00:00.000Z', `/vulnerabilities/${ids[0]}/revert`)
  clock.now = '2025-08-01T10:00:00.000Z'

  const path = '/security_dashboard/activity?pagination=keyset'
  const all = await read(user, path)
  expect(all).toMatchObject([
    { kind: 'triage', triage: { action: 'revert', total: 1 } },
    { kind: 'triage', triage: { action: 'resolve', total: 2 } },
    { kind: 'triage', created_at: '2025-02-01T10:10:00.000Z', triage: { action: 'confirm', total: 2 } },
    { kind: 'import', import: { new: 2 }, project: { id: shop.id } },
  ])
  expect(all).toHaveLength(4)
  expect(await read(user, '/security_dashboard/activity')).toEqual([])
  for (const size of [1, 2, 3]) expect(await walk(user, `${path}&per_page=${size}`)).toEqual(all)
  expect(await walk(user, `${path}&per_page=1&kind=triage`)).toEqual(all.slice(0, 3))
  expect(await read(user, `${path}&kind=import,silent_scanner`)).toEqual(all.slice(3))
  expect((await read(server.admin, `${path}&project_id=${site.id}`)).length).toBe(1)
  for (const wrong of ['x', 'W10', Buffer.from('[["now",1],null,null,null]').toString('base64url')]) {
    expect((await user.get(`${path}&cursor=${wrong}`)).status, wrong).toBe(400)
  }
  expect((await user.get(`${path}&kind=birthday`)).status).toBe(400)
})

/** Reads all pages of a list by their links. */
async function walk(client: Client, path: string): Promise<unknown[]> {
  const rows: unknown[] = []
  for (let next: string | undefined = path, page = 0; next && page < 20; page++) {
    const { status, body, headers } = await client.get(next)
    expect([next, status]).toEqual([next, 200])
    rows.push(...body)
    const url: string | undefined = /<([^>]+)>; rel="next"/.exec(headers['link'] ?? '')?.[1]
    next = url?.replace(/^.*\/api\/v4/, '')
  }
  return rows
}

test('a project whose decisions are older than many of others has them on a later page', async () => {
  const clock = { now: '2025-01-01T10:00:00.000Z' }
  const server = await startServer({ clock })
  const [shop, busy] = [await server.project('acme/shop'), await server.project('acme/busy')]
  const user = await server.as('maintainer', shop)
  const { id } = await server.vulnerability(shop)
  expect((await user.post(`/vulnerabilities/${id}/confirm`)).status).toBe(201)
  const other = await server.vulnerability(busy)
  const { db } = server.deps
  const rows = Array.from({ length: 4100 }, (_, index) => ({
    time: new Date(Date.parse('2025-02-01') + index * 60_000).toISOString(),
  }))
  await db.run(sql`
    insert into vulnerability_history (vulnerability_id, kind, user_id, from_value, to_value, created_at, updated_at)
    select ${other.id}, 'state', ${user.user?.id}, 'detected', 'confirmed', r.time, r.time
    from ${db.dialect.records(rows, { time: 'timestamp' })} as r where true`)
  clock.now = '2025-06-01T10:00:00.000Z'
  const path = '/security_dashboard/activity?pagination=keyset&kind=triage'
  expect(await walk(user, path)).toMatchObject([{ triage: { action: 'confirm', vulnerability: { id } } }])
  const totals = (await walk(server.admin, `${path}&per_page=10`)) as { triage: { total: number } }[] // by the view
  expect(totals.reduce((sum, { triage }) => sum + triage.total, 0)).toBe(4101)
})

test('the activity has held absences and silent scanners as kinds of their own', async () => {
  const clock = { now: '2026-03-01T10:00:00.000Z' }
  const server = await startServer({ clock })
  const shop = await server.project('acme/shop')
  const hidden = await server.project('other/hidden')
  const user = await server.as('maintainer', shop)
  const many = Array.from({ length: 12 }, (_, index) => entry({ line: index + 1, rule: `r${index}` }))
  await server.report(shop, many)
  await server.report(hidden, many)
  clock.now = '2026-03-02T10:00:00.000Z'
  await server.report(shop, many.slice(0, 1))
  clock.now = '2026-03-20T10:00:00.000Z'
  for (const pagination of ['legacy', 'keyset']) {
    const path = `/security_dashboard/activity?pagination=${pagination}`
    expect(await read(user, path)).toMatchObject([
      {
        kind: 'silent_scanner',
        created_at: '2026-03-16T10:00:00.000Z',
        project: { id: shop.id },
        silent_scanner: { last_report_at: '2026-03-02T10:00:00.000Z' },
        import: null,
      },
      { kind: 'mass_absence', import: { held: 11, absent: 0 }, silent_scanner: null },
      { kind: 'import', import: { new: 12, held: 0 } },
    ])
    const kinds = async (kind: string) =>
      (await walk(user, `${path}&kind=${kind}&per_page=1`)).map((one) => (one as { kind: string }).kind) // by the view
    expect(await kinds('mass_absence')).toEqual(['mass_absence'])
    expect(await kinds('silent_scanner,import')).toEqual(['silent_scanner', 'import'])
    expect(await kinds('triage')).toEqual([])
  }
})

test.runIf(onSqlite)('the coverage counts projects with current, old and missing reports of each type', async () => {
  const clock = { now: '2026-03-01T10:00:00.000Z' }
  const server = await startServer({ clock })
  const [shop, site] = [await server.project('acme/shop'), await server.project('acme/site')]
  const member = await server.as('developer', shop)
  await server.report(shop, [entry({ line: 1 })])
  await server.report(shop, [entry({ line: 1 })], { ref: 'feature' })
  const sast = async (client: Client) => {
    const { projects, report_types: types } = await read(client, '/security_dashboard/coverage')
    const { current, stale, missing } = types.find((one: { report_type: string }) => one.report_type === 'sast')
    return { projects, current, stale, missing }
  }
  expect(await sast(server.admin)).toEqual({ projects: 2, current: 1, stale: 0, missing: 1 })
  expect(await sast(member)).toEqual({ projects: 1, current: 1, stale: 0, missing: 0 })
  clock.now = '2026-03-16T10:00:00.000Z'
  expect(await sast(server.admin)).toEqual({ projects: 2, current: 0, stale: 1, missing: 1 })
  await server.report(site, [])
  await server.report(shop, [entry({ line: 1 })], { ref: 'feature' })
  expect(await sast(server.admin)).toMatchObject({ current: 1, stale: 1, missing: 0 })

  const list = '/security_dashboard/coverage/projects'
  const { body, headers } = await server.admin.get(list)
  expect(headers['x-total']).toBe('2')
  expect(body).toMatchObject([
    {
      project: { id: shop.id },
      scanners: [{ report_type: 'sast', last_report_at: '2026-03-01T10:00:00.000Z', is_stale: true }],
    },
    { project: { id: site.id }, scanners: [{ is_stale: false }] },
  ])
  const ids = async (query: string, client: Client = server.admin) =>
    (await read(client, `${list}?${query}`)).map((one: { project: { id: number } }) => one.project.id)
  expect(await ids('stale=true')).toEqual([shop.id])
  expect(await ids('missing=sast')).toEqual([])
  expect(await ids('missing=dast')).toEqual([shop.id, site.id])
  expect(await ids('per_page=1&page=2')).toEqual([site.id])
  expect(await ids('', member)).toEqual([shop.id])
  expect(await ids(`project_id=${site.id}`, member)).toEqual([])
  expect((await server.admin.get(`${list}?missing=magic`)).status).toBe(400)
  expect((await server.anonymous.get(list)).status).toBe(401)
})

test.runIf(onSqlite)('the feed reads no decisions for a user without projects', async () => {
  const statements: string[] = []
  const server = await startServer({ observe: (query) => statements.push(query.sql) })
  const stranger = await server.user('stranger')
  const wereRead = async (client: Client) => {
    statements.length = 0
    expect(await read(client, '/security_dashboard/activity?pagination=keyset')).toEqual([])
    return statements.some((text) => text.includes('vulnerability_history'))
  }
  await server.project('acme/site')
  expect([await wereRead(server.admin), await wereRead(stranger)]).toEqual([true, false])
})
