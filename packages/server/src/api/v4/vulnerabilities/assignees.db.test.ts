import { beforeAll, describe, expect, test } from 'vitest'
import { newestEvents } from '../../../testing/audit-events.ts'
import type { Client } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { historyOf } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'
import { startReceiver } from '../../../testing/stand-ins/receiver.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ settings: { webhooksReachPrivate: true } })
})

let projects = 0
/** Creates a project with vulnerabilities, and returns their ids, ascending. */
async function projectWith(count: number): Promise<{ project: TestProject; ids: number[] }> {
  const project = await server.project(`acme/assigned-${++projects}`)
  const lines = Array.from({ length: count }, (_, index) => index + 1)
  await server.report(
    project,
    lines.map((line) => entry({ line, rule: `rule ${line}` })),
  )
  return { project, ids: (await idsIn(server.admin, project)).sort((a, b) => a - b) }
}

const idsIn = async (client: Client, project: TestProject, query = ''): Promise<number[]> => {
  const reply = await client.get(`/projects/${project.id}/vulnerabilities?${query}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.body.map(({ id }: { id: number }) => id)
}

const idOf = (client: Client): number => client.user?.id ?? 0

const assign = (id: number | undefined, to: Client | number, client: Client = server.admin) =>
  client.put(`/vulnerabilities/${id}/assignee`, { assignee_id: typeof to === 'number' ? to : idOf(to) })

const bulk = (project: TestProject, fields: object, client: Client = server.admin) =>
  client.post(`/projects/${project.id}/vulnerability_bulk_changes`, fields)

const undo = (project: TestProject, id: number) =>
  server.admin.post(`/projects/${project.id}/vulnerability_bulk_changes/${id}/undo`)

async function assigneesOf(ids: readonly number[]): Promise<(string | null)[]> {
  const replies = await Promise.all(ids.map((id) => server.admin.get(`/vulnerabilities/${id}`)))
  return replies.map(({ body }) => body.assignee?.username ?? null)
}

describe.runIf(onSqlite)('an assignee', () => {
  test('is set, replaced and removed, with history and audit event', async () => {
    const { project, ids } = await projectWith(1)
    const [id = 0] = ids
    const ada = await server.as('maintainer', project)
    const bob = await server.as('maintainer', project)
    const [first, second] = [ada.user?.username, bob.user?.username]
    expect((await server.admin.get(`/vulnerabilities/${id}`)).body.assignee).toBeNull()

    const assigned = await assign(id, ada, bob)
    expect(assigned).toMatchObject({ status: 200, body: { id, assignee: { id: idOf(ada), username: first } } })
    expect(await assign(id, ada, bob)).toMatchObject({ status: 304 })
    const { body: listed } = await bob.get(`/projects/${project.id}/vulnerabilities`)
    expect(listed[0].assignee).toEqual(assigned.body.assignee)
    const [event] = await newestEvents(server)
    expect(event).toMatchObject({
      name: 'vulnerability_assignee_updated',
      authorId: idOf(bob),
      details: { change: 'assignee', from: null, to: first, target_id: id },
    })

    expect((await assign(id, bob)).body.assignee.username).toBe(second)
    const removed = await server.admin.delete(`/vulnerabilities/${id}/assignee`, { comment: 'Left' })
    expect(removed).toMatchObject({ status: 200, body: { assignee: null } })
    expect(await server.admin.delete(`/vulnerabilities/${id}/assignee`)).toMatchObject({ status: 304 })
    const history = (await historyOf(bob, id)).filter(({ kind }) => kind === 'assignee')
    expect(history.map(({ text, from, to }) => [text, from, to])).toEqual([
      [`assigned to ${first}`, null, first],
      [`reassigned from ${first} to ${second}`, first, second],
      [`unassigned ${second} with the following comment: "Left"`, second, null],
    ])
  })

  test('must be permitted to triage, and the error does not reveal whether the user exists', async () => {
    const { project, ids } = await projectWith(1)
    const [developer, outsider] = [await server.as('developer', project), await server.as('outsider', project)]
    const blocked = await server.as('maintainer', project)
    await server.admin.post(`/users/${idOf(blocked)}/block`)
    for (const refused of [idOf(developer), idOf(outsider), idOf(blocked), 987_654]) {
      const error = `assignee_id: ${refused} is not a user who may triage vulnerabilities of ${project['path_with_namespace']}`
      expect(await assign(ids[0], refused)).toMatchObject({ status: 400, body: { error } })
      const change = { action: 'assign', assignee_id: refused, vulnerability_ids: ids }
      expect(await bulk(project, change)).toMatchObject({ status: 400, body: { error } })
    }
    expect(await assigneesOf(ids)).toEqual([null])
  })

  test('can only be set by users who may triage', async () => {
    const { project, ids } = await projectWith(1)
    const maintainer = await server.as('maintainer', project)
    const developer = await server.as('developer', project)
    expect((await assign(ids[0], maintainer, developer)).status).toBe(403)
    expect((await assign(ids[0], maintainer, await server.as('outsider', project))).status).toBe(404)
    expect((await developer.delete(`/vulnerabilities/${ids[0]}/assignee`)).status).toBe(403)
    expect(await server.admin.put(`/vulnerabilities/${ids[0]}/assignee`)).toMatchObject({
      status: 400,
      body: { error: 'assignee_id is missing' },
    })
    expect(await assigneesOf(ids)).toEqual([null])
  })

  test('stays when they lose their rights, with their state, and ends with their account', async () => {
    const { project, ids } = await projectWith(2)
    const [first = 0, second = 0] = ids
    const [ada, bob] = [await server.as('maintainer', project), await server.as('maintainer', project)]
    await assign(first, ada)
    await assign(second, bob)
    const path = `/projects/${project.id}/vulnerabilities?sort=detected_asc`
    const shown = async () =>
      (await server.admin.get(path)).body.map(({ assignee }: { assignee: { name: string; state: string } | null }) =>
        assignee ? [assignee.name, assignee.state] : null,
      )
    await server.admin.put(`/users/${idOf(ada)}`, { name: 'Ada Lovelace' })
    expect(await shown()).toEqual([
      ['Ada Lovelace', 'active'],
      [bob.user?.name, 'active'],
    ])
    await server.admin.post(`/users/${idOf(ada)}/block`)
    await server.admin.delete(`/projects/${project.id}/members/${idOf(bob)}`)
    expect(await shown()).toEqual([
      ['Ada Lovelace', 'blocked'],
      [bob.user?.name, 'active'],
    ])
    expect((await bob.get(`/vulnerabilities?assignee_id=me`)).body).toEqual([])
    expect((await server.admin.delete(`/users/${idOf(ada)}`)).status).toBe(204)
    await server.runJobs()
    expect(await shown()).toEqual([null, [bob.user?.name, 'active']])
  })

  test('is announced to webhooks', async () => {
    const { project, ids } = await projectWith(1)
    const receiver = await startReceiver()
    const hook = { url: receiver.url, vulnerability_events: true }
    expect((await server.admin.post(`/projects/${project.id}/hooks`, hook)).status).toBe(201)
    const ada = await server.as('maintainer', project)
    await assign(ids[0], ada)
    await server.admin.delete(`/vulnerabilities/${ids[0]}/assignee`)
    await server.runJobs()
    const { id, name, username } = { id: 0, name: '', username: '', ...ada.user }
    expect(receiver.received.map(({ body }) => body.object_attributes.assignee)).toEqual([{ id, name, username }, null])
  })
})

describe('the filter assignee_id', () => {
  test('selects by id, `me` and `none` in lists of projects, groups and the instance', async () => {
    const { project, ids } = await projectWith(4)
    const [one = 0, two = 0, three = 0, four = 0] = ids
    const [ada, bob] = [await server.as('maintainer', project), await server.as('maintainer', project)]
    await assign(one, ada)
    await assign(two, bob)
    await assign(three, ada)
    await server.admin.post(`/vulnerabilities/${three}/confirm`)
    const query = (value: string) => `sort=detected_asc&assignee_id=${value}`
    // Both users send the same URL twice, so that a shared cached response would be noticed.
    for (const _ of [1, 2]) {
      expect(await idsIn(ada, project, query('me'))).toEqual([one, three])
      expect(await idsIn(bob, project, query('me'))).toEqual([two])
    }
    const total = async (client: Client) =>
      (await client.get(`/projects/${project.id}/vulnerabilities/summary?assignee_id=me`)).body.total
    expect([await total(ada), await total(bob), await total(ada)]).toEqual([2, 1, 2])
    expect(await idsIn(bob, project, query(`${idOf(ada)}`))).toEqual([one, three])
    expect(await idsIn(bob, project, `${query('me')}&state=confirmed`)).toEqual([])
    expect(await idsIn(ada, project, `${query('me')}&state=confirmed`)).toEqual([three])
    expect(await idsIn(bob, project, query('none'))).toEqual([four])
    expect(await idsIn(bob, project, query('me,none'))).toEqual([two, four])
    const found = async (path: string) => (await ada.get(path)).body.map((row: { id: number }) => row.id)
    expect(await found(`/groups/acme/vulnerabilities?${query('me')}`)).toEqual([one, three])
    expect(await found(`/vulnerabilities?${query('me')}`)).toEqual([one, three])
    const assignedToOthers = await found(`/vulnerabilities?${query('none')}`)
    expect(assignedToOthers).not.toContain(two)
  })

  test.runIf(onSqlite)('rejects other words', async () => {
    const { project } = await projectWith(1)
    for (const value of ['you', '0', '-1', '1.5', 'me,you']) {
      expect(await server.admin.get(`/projects/${project.id}/vulnerabilities?assignee_id=${value}`)).toMatchObject({
        status: 400,
        body: { error: 'assignee_id does not have a valid value' },
      })
    }
  })

  test.runIf(onSqlite)('selects for bulk changes and exports, which record whom `me` stood for', async () => {
    const { project, ids } = await projectWith(3)
    const ada = await server.as('maintainer', project)
    await assign(ids[1], ada)
    const confirmed = await bulk(project, { action: 'confirm', filter: { assignee_id: 'me' } }, ada)
    expect(confirmed).toMatchObject({ status: 201, body: { changed: 1 } })
    expect(await idsIn(ada, project, 'state=confirmed')).toEqual([ids[1]])
    const requested = await ada.post(`/security/projects/${project.id}/vulnerability_exports`, {
      filters: { assignee_id: ['me', 'none'] },
    })
    const path = `/security/vulnerability_exports/${requested.body.id}`
    expect((await ada.get(path)).body.filters.assignee_id).toEqual([`${idOf(ada)}`, 'none'])
    await server.runJobs()
    const [head = [], ...rows] = (await ada.get(`${path}/download`)).text
      .trim()
      .split('\n')
      .map((line: string) =>
        line
          .replace(/,"\{""id"".*$/, '')
          .replace(/,Import Data$/, '')
          .split(','),
      )
    // Earlier columns may contain commas, and so does the last one, which is removed.
    const column = head.indexOf('Assignee') - head.length
    expect(rows.map((row: string[]) => row.at(column))).toEqual(['', ada.user?.username, ''])
  })
})

describe.runIf(onSqlite)('a bulk change of assignees', () => {
  test('assigns and unassigns, and each undo restores the former assignees', async () => {
    const { project, ids } = await projectWith(3)
    const [ada, bob] = [await server.as('maintainer', project), await server.as('maintainer', project)]
    const [first, second] = [ada.user?.username, bob.user?.username]
    await assign(ids[0], ada)
    const change = { action: 'assign', assignee_id: idOf(bob), vulnerability_ids: ids }
    const assigned = await bulk(project, change)
    expect(assigned).toMatchObject({ status: 201, body: { action: 'assign', changed: 3, unchanged: 0 } })
    expect((await bulk(project, change)).body).toMatchObject({ changed: 0, unchanged: 3 })
    expect(await assigneesOf(ids)).toEqual([second, second, second])
    const unassigned = await bulk(project, { action: 'unassign', vulnerability_ids: ids.slice(1) })
    expect(await assigneesOf(ids)).toEqual([second, null, null])
    expect((await undo(project, unassigned.body.id)).body).toMatchObject({ restored: 2 })
    expect((await undo(project, assigned.body.id)).body).toMatchObject({ restored: 3 })
    expect(await assigneesOf(ids)).toEqual([first, null, null])
    const texts = (await historyOf(ada, ids[0] ?? 0)).filter(({ kind }) => kind === 'assignee').map(({ text }) => text)
    expect(texts).toEqual([
      `assigned to ${first}`,
      `reassigned from ${first} to ${second}`,
      `reassigned from ${second} to ${first}`,
    ])
  })

  test('is undone apart from changes of the state', async () => {
    const { project, ids } = await projectWith(2)
    const ada = await server.as('maintainer', project)
    const assigned = await bulk(project, { action: 'assign', assignee_id: idOf(ada), vulnerability_ids: ids })
    const confirmed = await bulk(project, { action: 'confirm', vulnerability_ids: ids })
    await assign(ids[0], server.admin.user ? server.admin : 1)
    expect((await undo(project, confirmed.body.id)).body.restored).toBe(2)
    expect(await assigneesOf(ids)).toEqual(['root', ada.user?.username])
    await bulk(project, { action: 'dismiss', vulnerability_ids: ids })
    // The first one was assigned again since; the second one has changed its state only.
    expect((await undo(project, assigned.body.id)).body.restored).toBe(1)
    expect(await assigneesOf(ids)).toEqual(['root', null])
    expect((await server.admin.get(`/vulnerabilities/${ids[1]}`)).body.state).toBe('dismissed')
  })

  test('is not undone for users who may no longer triage: these vulnerabilities become unassigned', async () => {
    const { project, ids } = await projectWith(1)
    const [ada, bob] = [await server.as('maintainer', project), await server.as('maintainer', project)]
    await assign(ids[0], ada)
    const change = await bulk(project, { action: 'assign', assignee_id: idOf(bob), vulnerability_ids: ids })
    await server.admin.delete(`/projects/${project.id}/members/${idOf(ada)}`)
    expect((await undo(project, change.body.id)).body.restored).toBe(1)
    expect(await assigneesOf(ids)).toEqual([null])
  })

  test('of many projects needs an assignee who may triage in each of them, and has a dry run', async () => {
    const [one, two] = [await projectWith(1), await projectWith(1)]
    const ids = [...one.ids, ...two.ids]
    const ada = await server.as('maintainer', one.project)
    const change = { action: 'assign', assignee_id: idOf(ada), vulnerability_ids: ids }
    const path = '/groups/acme/vulnerability_bulk_changes'
    expect(await server.admin.post(path, change)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(`may triage vulnerabilities of ${two.project['path_with_namespace']}`) },
    })
    await server.admin.post(`/projects/${two.project.id}/members`, { user_id: idOf(ada), access_level: 40 })
    expect(await server.admin.post(path, { ...change, dry_run: true })).toMatchObject({
      status: 201,
      body: { dry_run: true, action: 'assign', changed: 2, unchanged: 0 },
    })
    expect(await assigneesOf(ids)).toEqual([null, null])
    const done = await server.admin.post(path, change)
    expect(await assigneesOf(ids)).toEqual([ada.user?.username, ada.user?.username])
    const undone = await server.admin.post(`/vulnerability_bulk_changes/${done.body.id}/undo`)
    expect(undone).toMatchObject({ status: 201, body: { restored: 2 } })
    expect(await assigneesOf(ids)).toEqual([null, null])
  })

  test('needs an assignee', async () => {
    const { project, ids } = await projectWith(1)
    expect(await bulk(project, { action: 'assign', vulnerability_ids: ids })).toMatchObject({
      status: 400,
      body: { error: 'assignee_id is missing' },
    })
  })
})
