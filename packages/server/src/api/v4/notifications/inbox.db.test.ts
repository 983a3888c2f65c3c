import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { sastReport } from '../../../testing/reports/reports.ts'
import { startServer } from '../../../testing/server.ts'

const path = '/user/notifications'
const inbox = async (client: Client) => {
  const { status, body } = await client.get(path)
  expect([status, body]).toEqual([200, body])
  return body
}
const kinds = async (client: Client) => (await inbox(client)).items.map((item: { kind: string }) => item.kind)

test.runIf(onSqlite)(
  'the notifications have assigned and due vulnerabilities, until they are resolved, and are marked as read',
  async () => {
    const clock = { now: '2026-03-01T10:00:00.000Z' }
    const server = await startServer({ clock })
    const project = await server.project('acme/shop')
    const [ada, ben] = [await server.as('maintainer', project), await server.as('maintainer', project)]
    const { id, title } = await server.vulnerability(project)
    expect(await inbox(ada)).toEqual({ unread: 0, items: [] })
    const change = (client: Client, fields: object) =>
      client.post(`/projects/${project.id}/vulnerability_bulk_changes`, { vulnerability_ids: [id], ...fields })
    expect((await change(ben, { action: 'assign', assignee_id: ada.user?.id })).status).toBe(201)
    expect(await inbox(ada)).toMatchObject({
      unread: 1,
      items: [{ kind: 'assigned', title, vulnerability_id: id, project: { id: project.id }, is_unread: true }],
    })
    expect(await inbox(ben)).toEqual({ unread: 0, items: [] })

    clock.now = '2026-03-01T11:00:00.000Z'
    expect((await ada.post(`${path}/read`)).status).toBe(204)
    expect(await inbox(ada)).toMatchObject({ unread: 0, items: [{ is_unread: false }] })

    await change(ben, { action: 'due_date', due_on: '2026-03-10' })
    expect(await kinds(ada)).toEqual(['assigned'])
    clock.now = '2026-03-04T10:00:00.000Z'
    expect(await inbox(ada)).toMatchObject({ unread: 1, items: [{ kind: 'due_soon', due_on: '2026-03-10' }, {}] })
    clock.now = '2026-03-11T10:00:00.000Z'
    expect(await kinds(ada)).toEqual(['overdue', 'assigned'])
    expect((await ada.post(`/vulnerabilities/${id}/resolve`)).status).toBe(201)
    expect(await inbox(ada)).toEqual({ unread: 0, items: [] })
  },
)

test.runIf(onSqlite)(
  'users are not notified of what they assign to themselves, nor of projects that they can no longer read',
  async () => {
    const server = await startServer()
    const project = await server.project('acme/shop')
    const [ada, ben] = [await server.as('maintainer', project), await server.as('maintainer', project)]
    const { id } = await server.vulnerability(project)
    const assign = (client: Client) =>
      client.post(`/projects/${project.id}/vulnerability_bulk_changes`, {
        ...{ action: 'assign', vulnerability_ids: [id], assignee_id: ada.user?.id },
      })
    await assign(ada)
    expect(await kinds(ada)).toEqual([])
    await ada.post(`/projects/${project.id}/vulnerability_bulk_changes`, {
      ...{ action: 'assign', vulnerability_ids: [id], assignee_id: ben.user?.id },
    })
    await assign(ben)
    expect(await kinds(ada)).toEqual(['assigned'])
    await server.admin.delete(`/projects/${project.id}/members/${ada.user?.id}`)
    expect(await kinds(ada)).toEqual([])
    expect((await server.anonymous.get(path)).status).toBe(401)
    expect((await server.anonymous.post(`${path}/read`)).status).toBe(401)
    const reader = await server.client(ada, { scopes: ['read_api'] })
    expect((await reader.post(`${path}/read`)).status).toBe(403)
  },
)

test('the notifications have dismissals that await approval, for those who may decide', async () => {
  const server = await startServer()
  const project = await server.project('acme/ruled')
  const [asker, approver] = [await server.as('maintainer', project), await server.as('maintainer', project)]
  const { id } = await server.vulnerability(project)
  await server.admin.put(`/projects/${project.id}/dismissal_approval`, { severity: 'info' })
  expect((await asker.post(`/vulnerabilities/${id}/dismiss`, { dismissal_reason: 'false_positive' })).status).toBe(202)
  expect(await kinds(asker)).toEqual([])
  expect(await inbox(approver)).toMatchObject({ unread: 1, items: [{ kind: 'approval', vulnerability_id: id }] })
})

test('the notifications have the failed imports of the user in the last 30 days', async () => {
  const clock = { now: '2026-03-01T10:00:00.000Z' }
  const server = await startServer({ clock })
  const project = await server.project('acme/shop')
  const [ada, ben] = [await server.as('developer', project), await server.as('developer', project)]
  const { body } = await ada.post(`/projects/${project.id}/security_reports`, report())
  expect(await kinds(ada)).toEqual([])
  await server.deps.db.run(sql`update imports set state = 'failed' where id = ${body.id}`)
  expect(await inbox(ada)).toMatchObject({
    unread: 1,
    items: [{ kind: 'failed_import', report_id: body.id, title: 'main' }],
  })
  expect(await kinds(ben)).toEqual([])
  clock.now = '2026-04-05T10:00:00.000Z'
  expect(await kinds(ada)).toEqual([])
})

const report = () => formWithFile('file', 'report.json', JSON.stringify(sastReport([])))
