import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { scopeChangeKind } from '../../../domain/vulnerabilities/scope-bulk/scope-change-job.ts'
import type { Client } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { historyOf, runInSteps, vulnerabilitiesOf, withoutJob } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { browserOf, signIn } from '../../../testing/second-factors.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

const entriesOf = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    entry({ name: `Flaw ${index}`, severity: index % 2 ? 'High' : 'Low', line: index + 1, rule: `r${index}` }),
  )

/** Creates a project with this number of vulnerabilities. Returns their ids in order. */
async function projectWith(path: string, count: number, on = server): Promise<{ project: TestProject; ids: number[] }> {
  const project = await on.project(path)
  await on.report(project, entriesOf(count))
  return { project, ids: await idsOf(project, on) }
}

async function idsOf(project: TestProject, { deps: { db } } = server): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from vulnerabilities where project_id = ${project.id} order by id`)
  return rows.map(({ id }) => id)
}

async function statesOf(project: TestProject, { deps: { db } } = server): Promise<Record<string, number>> {
  const rows = await db.all<{ state: string; total: number }>(sql`
    select state, count(*) as total from vulnerabilities where project_id = ${project.id} group by state order by state`)
  return Object.fromEntries(rows.map(({ state, total }) => [state, Number(total)]))
}

/** Expects that the stored facet counts equal the actual ones. */
async function expectCounts(project: TestProject, { deps: { db } } = server): Promise<void> {
  const kept = await db.all(sql`
    select state, severity, dismissal_reason, cast(sum(total) as bigint) as total from vulnerability_counts
    where project_id = ${project.id} and total <> 0 group by state, severity, dismissal_reason
    order by state, severity, dismissal_reason`)
  const counted = await db.all(sql`
    select state, severity, coalesce(dismissal_reason, '') as dismissal_reason, count(*) as total from vulnerabilities
    where project_id = ${project.id} group by state, severity, coalesce(dismissal_reason, '')
    order by state, severity, coalesce(dismissal_reason, '')`)
  expect(kept).toEqual(counted)
}

const join = (client: Client, place: string, level: number, on = server) =>
  on.admin.post(`/${place}/members`, { user_id: client.user?.id, access_level: level })

const groupPath = (project: TestProject) => `/groups/${project['namespace'].id}/vulnerability_bulk_changes`
const everywhere = '/vulnerability_bulk_changes'
const undo = (client: Client, id: number) => client.post(`${everywhere}/${id}/undo`)

describe('a bulk change of many projects', () => {
  test('of a group changes the selected vulnerabilities of each project, and can be undone', async () => {
    const one = await projectWith('first/one', 3)
    const two = await projectWith('first/two', 2)
    const other = await projectWith('first-other/three', 1)
    const user = await server.user('first-user')
    await join(user, `groups/${one.project['namespace'].id}`, 40)
    const fields = { action: 'dismiss', dismissal_reason: 'used_in_tests', comment: 'Fixtures' }
    const ids = [...two.ids, ...one.ids]
    await user.post(`/vulnerabilities/${one.ids[0]}/dismiss`, { dismissal_reason: 'used_in_tests' })
    const reply = await user.post(groupPath(one.project), { ...fields, vulnerability_ids: ids, expected_count: 5 })
    expect(reply).toMatchObject({
      status: 201,
      body: {
        ...{ dry_run: false, status: 'done', action: 'dismiss', group_id: one.project['namespace'].id, total: 5 },
        ...{ changed: 4, unchanged: 1, restored: null, author_id: user.user?.id, undone_at: null, error: null },
        ...{ projects_count: 2, skipped: [], skipped_count: 0 },
        projects: [
          { project: { id: one.project.id, path_with_namespace: 'first/one' }, changed: 2, unchanged: 1 },
          { project: { id: two.project.id, web_url: two.project['web_url'] }, changed: 2, unchanged: 0 },
        ],
      },
    })
    expect(await statesOf(one.project)).toEqual({ dismissed: 3 })
    expect(await statesOf(other.project)).toEqual({ detected: 1 })
    for (const { project } of [one, two]) await expectCounts(project)

    // Members of the project see its part, which has the history and an audit event of its own.
    const [part] = (await server.admin.get(`/projects/${two.project.id}/vulnerability_bulk_changes`)).body
    expect(part).toMatchObject({ changed: 2, author_id: user.user?.id, scope_bulk_change_id: reply.body.id })
    expect(part.id).toBe(reply.body.projects[1].bulk_change_id)
    expect((await historyOf(user, two.ids[0] ?? 0)).at(-1)).toMatchObject({
      ...{ kind: 'state', to: 'dismissed', comment: 'Fixtures', bulk_id: part.id },
    })
    const events = (await server.admin.get(`/projects/${two.project.id}/audit_events`)).body
    expect(events[0]).toMatchObject({ author_id: user.user?.id, event_name: 'vulnerabilities_bulk_updated' })

    const undone = await undo(user, reply.body.id)
    expect(undone).toMatchObject({ status: 201, body: { status: 'undone', restored: 4, undone_by_id: user.user?.id } })
    expect([await statesOf(one.project), await statesOf(two.project)]).toEqual([
      { detected: 2, dismissed: 1 },
      { detected: 2 },
    ])
    for (const { project } of [one, two]) await expectCounts(project)
    expect((await undo(user, reply.body.id)).status).toBe(304)
    expect((await user.get(`${everywhere}/${reply.body.id}`)).body).toEqual(undone.body)
    expect((await user.get(everywhere)).body).toEqual([undone.body])
  })

  test.runIf(onSqlite)('takes a filter, and a dry run changes nothing', async () => {
    const one = await projectWith('dry/one', 4)
    const two = await projectWith('dry/two', 2)
    await server.admin.post(`/vulnerabilities/${one.ids[1]}/confirm`)
    const fields = { action: 'confirm', filter: { severity: 'high' }, expected_count: 3 }
    const dry = await server.admin.post(groupPath(one.project), { ...fields, dry_run: true })
    const effect = { total: 3, changed: 2, unchanged: 1, projects_count: 2 }
    expect(dry).toMatchObject({ status: 201, body: { id: null, dry_run: true, status: 'done', ...effect } })
    expect(await statesOf(two.project)).toEqual({ detected: 2 })
    expect((await server.admin.get(`/projects/${one.project.id}/vulnerability_bulk_changes`)).body).toEqual([])
    const real = await server.admin.post(groupPath(one.project), fields)
    expect(real).toMatchObject({ status: 201, body: { id: expect.any(Number), dry_run: false, ...effect } })
    expect(await statesOf(two.project)).toEqual({ confirmed: 1, detected: 1 })
    const conflict = await server.admin.post(groupPath(one.project), { ...fields, expected_count: 9 })
    expect(conflict).toMatchObject({ status: 409, body: { message: expect.stringContaining('there are 3') } })
  })

  test.runIf(onSqlite)('of the instance can be narrowed to a group, projects or topics', async () => {
    const one = await projectWith('narrow/one', 1)
    const two = await projectWith('narrow/two', 1)
    const change = async (fields: object) => {
      const { body } = await server.admin.post(everywhere, { action: 'confirm', filter: {}, dry_run: true, ...fields })
      return body.projects.map((part: { project: TestProject }) => part.project.id)
    }
    expect(await change({ group_id: one.project['namespace'].id })).toEqual([one.project.id, two.project.id])
    expect(await change({ project_id: [two.project.id] })).toEqual([two.project.id])
    expect(await change({ topic: ['no-such-topic'] })).toEqual([])
    expect((await server.admin.post(everywhere, { action: 'confirm', filter: {}, group_id: 999_999 })).status).toBe(404)
  })

  test('skips projects in which the caller may not triage, and does not reveal others', async () => {
    const own = await projectWith('mixed/own', 2)
    const readable = await projectWith('mixed/readable', 3)
    const hidden = await projectWith('mixed/hidden', 1)
    const archived = await projectWith('mixed/archived', 1)
    const user = await server.user('mixed-user')
    await join(user, `projects/${own.project.id}`, 40)
    await join(user, `projects/${readable.project.id}`, 30)
    await join(user, `projects/${archived.project.id}`, 40)
    await server.admin.post(`/projects/${archived.project.id}/archive`)
    const reply = await user.post(everywhere, { action: 'confirm', filter: {}, expected_count: 6 })
    const skipped = [
      { id: readable.project.id, path_with_namespace: 'mixed/readable', archived: false, selected: 3 },
      { id: archived.project.id, path_with_namespace: 'mixed/archived', archived: true, selected: 1 },
    ]
    expect(reply).toMatchObject({
      status: 201,
      body: { total: 2, changed: 2, projects: [{ project: { id: own.project.id } }], skipped, skipped_count: 2 },
    })
    expect(reply.text).not.toContain('hidden')
    for (const { project } of [readable, archived]) expect(Object.keys(await statesOf(project))).toEqual(['detected'])
    const unknown = 999_999
    const ids = [...own.ids, ...hidden.ids, unknown]
    expect(await user.post(everywhere, { action: 'revert', vulnerability_ids: ids })).toMatchObject({
      status: 400,
      body: {
        message: {
          vulnerability_ids: [`not found in your projects here: ${hidden.ids[0]}, ${unknown}; nothing was changed`],
        },
      },
    })
    expect(await statesOf(own.project)).toEqual({ confirmed: 2 })
  })

  test.runIf(onSqlite)(
    'changes nothing when a vulnerability of any project has another state than expected',
    async () => {
      const one = await projectWith('states/one', 1)
      const two = await projectWith('states/two', 1)
      const ids = [...one.ids, ...two.ids]
      const expected_states = Object.fromEntries(ids.map((id) => [id, 'detected']))
      await server.admin.post(`/vulnerabilities/${two.ids[0]}/resolve`)
      const fields = { action: 'confirm', vulnerability_ids: ids, expected_states }
      for (const dry_run of [true, false]) {
        const reply = await server.admin.post(groupPath(one.project), { ...fields, dry_run })
        expect(reply).toMatchObject({ status: 409, body: { conflicts: [{ id: two.ids[0], state: 'resolved' }] } })
      }
      expect([await statesOf(one.project), await statesOf(two.project)]).toEqual([{ detected: 1 }, { resolved: 1 }])
    },
  )

  test.runIf(onSqlite)('is visible to its author and administrators only', async () => {
    const { project, ids } = await projectWith('private/one', 1)
    const [author, other] = [await server.as('maintainer', project), await server.as('maintainer', project)]
    const { body } = await author.post(everywhere, { action: 'confirm', vulnerability_ids: ids })
    expect((await other.get(`${everywhere}/${body.id}`)).status).toBe(404)
    expect((await undo(other, body.id)).status).toBe(404)
    expect((await other.get(everywhere)).body).toEqual([])
    expect((await server.admin.get(`${everywhere}/${body.id}`)).status).toBe(200)
    const reader = await server.client(author, { scopes: ['read_api'] })
    for (const path of [everywhere, groupPath(project)]) {
      expect((await reader.post(path, { action: 'confirm', vulnerability_ids: ids })).status).toBe(403)
      expect((await server.anonymous.post(path, { action: 'confirm', vulnerability_ids: ids })).status).toBe(401)
    }
    // After losing access the author sees the counts, but not the project.
    await server.admin.delete(`/projects/${project.id}/members/${author.user?.id}`)
    expect((await author.get(`${everywhere}/${body.id}`)).body).toMatchObject({ changed: 1, projects: [] })
  })

  test.runIf(onSqlite)(
    'is undone only where the caller may still triage; members undo the rest by project',
    async () => {
      const one = await projectWith('partly/one', 2)
      const two = await projectWith('partly/two', 2)
      const user = await server.user('partly-user')
      for (const { project } of [one, two]) await join(user, `projects/${project.id}`, 40)
      const { body } = await user.post(everywhere, { action: 'confirm', vulnerability_ids: [...one.ids, ...two.ids] })
      await server.admin.put(`/projects/${one.project.id}/members/${user.user?.id}`, { access_level: 30 })
      const undone = await undo(user, body.id)
      expect(undone.body).toMatchObject({
        ...{ status: 'undone', restored: 2 },
        projects: [
          { undone_at: null, restored: null },
          { undone_at: expect.any(String), restored: 2 },
        ],
      })
      expect([await statesOf(one.project), await statesOf(two.project)]).toEqual([{ confirmed: 2 }, { detected: 2 }])
      const rest = `/projects/${one.project.id}/vulnerability_bulk_changes/${body.projects[0].bulk_change_id}/undo`
      expect((await server.admin.post(rest)).body).toMatchObject({ restored: 2 })
    },
  )
})

/** More than one transaction changes. */
const many = 1_300

/** Sends a large change and keeps its job from running. Returns the id. */
async function queueChange(on: TestServer, client: Client, fields: object): Promise<number> {
  const key = { kind: 'bulk-change', key: 'bulk-change:1' }
  const reply = await withoutJob(on, key, () => client.post(everywhere, { filter: {}, ...fields, async: true }))
  expect(reply.body).toMatchObject({ id: 1, status: 'running', changed: 0 })
  return reply.body.id
}
const runChange = (on: TestServer, id: number, steps?: number) =>
  runInSteps(on, scopeChangeKind, { scopeChangeId: id }, steps)

describe('a large bulk change', () => {
  test('is changed in batches, survives a killed job, and is undone in batches', async () => {
    const server = await startServer()
    const one = await projectWith('large/one', many, server)
    const two = await projectWith('large/two', 3, server)
    const user = await server.user('large-user')
    for (const { project } of [one, two]) await join(user, `projects/${project.id}`, 40, server)
    const id = await queueChange(server, user, { action: 'confirm', expected_count: many + 3 })
    await expect(runChange(server, id, 2)).rejects.toThrow('killed')
    const halfway = await user.get(`${everywhere}/${id}`)
    expect(halfway.body).toMatchObject({ status: 'running', total: many + 3, changed: 1_000 })
    await expectCounts(one.project, server)
    const [part] = halfway.body.projects
    const partPath = `/projects/${one.project.id}/vulnerability_bulk_changes/${part.bulk_change_id}/undo`
    for (const reply of [await undo(user, id), await user.post(partPath)]) {
      expect(reply).toMatchObject({ status: 409, body: { message: expect.stringContaining('has not ended') } })
    }
    await runChange(server, id)
    expect((await user.get(`${everywhere}/${id}`)).body).toMatchObject({ status: 'done', changed: many + 3 })
    expect([await statesOf(one.project, server), await statesOf(two.project, server)]).toEqual([
      { confirmed: many },
      { confirmed: 3 },
    ])
    await expectCounts(one.project, server)
    const events = (await user.get(`/projects/${one.project.id}/audit_events`)).body
    const bulk = events.filter((event: { event_name: string }) => event.event_name === 'vulnerabilities_bulk_updated')
    expect(bulk).toMatchObject([{ author_id: user.user?.id, details: { changed: many } }])

    // A later decision stays.
    await user.post(`/vulnerabilities/${one.ids[700]}/resolve`)
    const sent = await withoutJob(server, { kind: 'bulk-change', key: `bulk-change:${id}` }, () =>
      user.post(`${everywhere}/${id}/undo?async=true`),
    )
    expect(sent.body).toMatchObject({ status: 'undoing', restored: null })
    await expect(runChange(server, id, 1)).rejects.toThrow('killed')
    expect((await user.get(`${everywhere}/${id}`)).body).toMatchObject({ status: 'undoing', restored: 500 })
    // A member undoes the part of the project meanwhile; nothing is restored twice.
    expect((await user.post(partPath)).body).toMatchObject({ restored: many - 1 })
    await runChange(server, id)
    expect((await user.get(`${everywhere}/${id}`)).body).toMatchObject({ status: 'undone', restored: many + 2 })
    expect(await statesOf(one.project, server)).toEqual({ detected: many - 1, resolved: 1 })
    await expectCounts(one.project, server)
    const [restored] = await server.deps.db.all<{ total: number }>(sql`
      select count(*) as total from vulnerability_history where vulnerability_id = ${one.ids[0]} and to_value = 'detected'`)
    expect(restored?.total).toBe(1)
  })

  test('skips projects in which its author has lost the permission meanwhile', async () => {
    const server = await startServer()
    const one = await projectWith('lost/one', 600, server)
    const two = await projectWith('lost/two', 2, server)
    const user = await server.user('lost-user')
    for (const { project } of [one, two]) await join(user, `projects/${project.id}`, 40, server)
    const id = await queueChange(server, user, { action: 'dismiss' })
    await expect(runChange(server, id, 1)).rejects.toThrow('killed')
    await server.admin.put(`/projects/${one.project.id}/members/${user.user?.id}`, { access_level: 30 })
    await runChange(server, id)
    expect((await user.get(`${everywhere}/${id}`)).body).toMatchObject({
      ...{ status: 'done', changed: 502 },
      skipped: [{ id: one.project.id, selected: 100 }],
    })
    const [event] = (await server.admin.get(`/projects/${one.project.id}/audit_events`)).body.filter(
      ({ event_name }: { event_name: string }) => event_name === 'vulnerabilities_bulk_updated',
    )
    expect(event).toMatchObject({ details: { changed: 500 } })
  })

  test('is undone after many projects in which the caller may no longer triage', async () => {
    const server = await startServer()
    const archived = []
    for (let index = 0; index < 10; index++) archived.push(await projectWith(`several/p${index}`, 1, server))
    const last = await projectWith('several/last', 501, server)
    const id = await queueChange(server, server.admin, { action: 'dismiss' })
    await runChange(server, id)
    for (const { project } of archived) await server.admin.post(`/projects/${project.id}/archive`)
    await withoutJob(server, { kind: 'bulk-change', key: `bulk-change:${id}` }, () =>
      server.admin.post(`${everywhere}/${id}/undo?async=true`),
    )
    await runChange(server, id, 20)
    expect((await server.admin.get(`${everywhere}/${id}`)).body).toMatchObject({ status: 'undone', restored: 501 })
    expect(await statesOf(last.project, server)).toEqual({ detected: 501 })
    expect(await statesOf(archived[0]?.project ?? last.project, server)).toEqual({ dismissed: 1 })
  })

  test.runIf(onSqlite)('requests dismissals in the name of the administrator who acts as a user', async () => {
    const server = await startServer()
    const { project } = await projectWith('sudo/one', 501, server)
    await server.admin.put(`/projects/${project.id}/dismissal_approval`, { severity: 'info' })
    const user = await server.as('maintainer', project)
    const asUser = { headers: { sudo: user.user?.username ?? '' } }
    const { body } = await server.admin.post(everywhere, { action: 'dismiss', filter: {} }, asUser)
    expect(body).toMatchObject({ changed: 0, requested: 501, author_id: user.user?.id })
    const requests = `/projects/${project.id}/dismissal_requests`
    const [request] = (await user.get(requests)).body
    expect(request.requested_by.id).not.toBe(user.user?.id)
    expect((await server.admin.post(`${requests}/${request.id}/approve`)).status).toBe(403)
    // The administrator created the user's token, so only a session shows that the user decides.
    expect((await user.post(`${requests}/${request.id}/approve`)).status).toBe(403)
    const browser = browserOf(server, await signIn(server, user.user?.username ?? ''))
    expect((await browser.post(`${requests}/${request.id}/approve`)).status).toBe(201)
  })

  test('fails when its author is blocked', async () => {
    const server = await startServer()
    const { project } = await projectWith('blocked/one', 600, server)
    const user = await server.as('maintainer', project)
    const id = await queueChange(server, user, { action: 'dismiss' })
    await expect(runChange(server, id, 1)).rejects.toThrow('killed')
    await server.admin.post(`/users/${user.user?.id}/block`)
    await runChange(server, id)
    expect((await server.admin.get(`${everywhere}/${id}`)).body).toMatchObject({
      ...{ status: 'failed', changed: 500, error: 'The account of the user who requested it was blocked.' },
    })
    expect(await statesOf(project, server)).toEqual({ detected: 100, dismissed: 500 })
    // An administrator can undo what was changed.
    expect((await undo(server.admin, id)).body).toMatchObject({ status: 'undone', restored: 500 })
    expect(await statesOf(project, server)).toEqual({ detected: 600 })
  })

  test.runIf(onSqlite)('takes expected states of at most 500 vulnerabilities', async () => {
    const server = await startServer()
    const { ids } = await projectWith('limit/one', 501, server)
    const fields = { action: 'confirm', vulnerability_ids: ids, expected_states: { [ids[0] ?? 0]: 'detected' } }
    expect((await server.admin.post(everywhere, fields)).status).toBe(400)
  })
})

test('concurrent changes of a group, of projects and by imports keep all counts correct', async () => {
  const server = await startServer({ settings: { logLevel: 'error' } })
  const one = await projectWith('races/one', 300, server)
  const two = await projectWith('races/two', 300, server)
  const inGroup = groupPath(one.project)
  const all = [...one.ids, ...two.ids]
  const replies = await Promise.all([
    server.admin.post(inGroup, { action: 'confirm', vulnerability_ids: all.slice(0, 450) }),
    server.admin.post(inGroup, { action: 'resolve', vulnerability_ids: all.slice(150).reverse() }),
    server.admin.post(inGroup, { action: 'dismiss', filter: {} }),
    server.admin.post(everywhere, { action: 'severity', severity: 'critical', filter: { severity: 'low' } }),
    ...[one, two].map(({ project }) =>
      server.admin.post(`/projects/${project.id}/vulnerability_bulk_changes`, { action: 'revert', filter: {} }),
    ),
    ...[one, two].map(async ({ project }) => server.report(project, entriesOf(250)).then(() => ({ status: 201 }))),
  ])
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201))
  for (const { project } of [one, two]) await expectCounts(project, server)
  const undone = await Promise.all(
    (await server.admin.get(everywhere)).body.map(({ id }: { id: number }) => undo(server.admin, id)),
  )
  expect(undone.map(({ status }) => status)).toEqual(undone.map(() => 201))
  for (const { project } of [one, two]) await expectCounts(project, server)
  expect(Object.keys(await vulnerabilitiesOf(server, one.project))).not.toEqual([])
})
