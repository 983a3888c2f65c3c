import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { onSqlite } from '../../../testing/databases/database.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'
import { startReceiver } from '../../../testing/stand-ins/receiver.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ settings: { webhooksReachPrivate: true } })
})

let groups = 0

/** Creates a group, and a project in a subgroup of it. */
async function world() {
  const path = `group-hooks-${++groups}`
  const { body: group } = await server.admin.post('/groups', { name: path, path })
  const { body: team } = await server.admin.post('/groups', { name: 'team', path: 'team', parent_id: group.id })
  const project = await server.project(`${path}/team/site`)
  const member = async (role: string, level: number) => {
    const user = await server.user(`${role}-${path}`)
    await server.admin.post(`/groups/${group.id}/members`, { user_id: user.user?.id, access_level: level })
    return user
  }
  return { path: `/groups/${group.id}/hooks`, group, team, project, member }
}

const url = 'https://receiver.example/hook'

describe('webhooks of a group', () => {
  test.runIf(onSqlite)('can be created, listed, updated and deleted by owners, in GitLab’s format', async () => {
    const { path, group, project, member } = await world()
    const owner = await member('owner', 50)
    const added = await owner.post(path, { url, vulnerability_events: true, token: 'secret', member_events: true })
    expect(added).toMatchObject({
      status: 201,
      body: {
        url,
        group_id: group.id,
        vulnerability_events: true,
        resource_access_token_events: false,
        subgroup_events: false,
        member_events: true,
        project_events: false,
        alert_status: 'executable',
      },
    })
    expect(added.body).not.toHaveProperty('project_id')
    expect(added.text).not.toContain('secret')
    const one = `${path}/${added.body.id}`
    expect((await owner.get(path)).body).toEqual([added.body])
    expect((await owner.get(one)).body).toEqual(added.body)
    expect((await owner.put(one, { name: 'Alarm' })).body).toEqual({ ...added.body, name: 'Alarm' })

    const maintainer = await member('maintainer', 40)
    for (const { status } of [await maintainer.get(path), await maintainer.post(path, { url })])
      expect(status).toBe(403)
    const other = `/projects/${project.id}/hooks`
    expect((await server.admin.get(`${other}/${added.body.id}`)).status).toBe(404)
    const { body: ofProject } = await server.admin.post(other, { url })
    expect((await owner.get(`${path}/${ofProject.id}`)).status).toBe(404)
    expect((await owner.delete(`${path}/${ofProject.id}`)).status).toBe(404)
    expect((await owner.delete(one)).status).toBe(204)
    expect((await owner.get(one)).status).toBe(404)
  })

  test.runIf(onSqlite)('are limited to 50', async () => {
    const { path } = await world()
    for (let index = 0; index < 50; index++) expect((await server.admin.post(path, { url })).status).toBe(201)
    expect(await server.admin.post(path, { url })).toMatchObject({
      status: 422,
      body: { message: 'Maximum number of group hooks (50) exceeded' },
    })
  })

  test.runIf(onSqlite)(
    'receive the events of all projects below the group, as the webhooks of the project do',
    async () => {
      const { path, team, project } = await world()
      const { path: otherPath } = await world()
      const receiver = await startReceiver()
      const hookAt = async (hooks: string, name: string) => {
        const { status } = await server.admin.post(hooks, {
          url: `${receiver.url}/${name}`,
          vulnerability_events: true,
        })
        expect(status).toBe(201)
      }
      await hookAt(path, 'group')
      await hookAt(`/groups/${team.id}/hooks`, 'team')
      await hookAt(`/projects/${project.id}/hooks`, 'project')
      await hookAt(otherPath, 'other')
      await server.report(project, [entry({ name: 'Flaw' })])
      await server.runJobs()
      expect(receiver.received.map((one) => one.path).sort()).toEqual(['/hook/group', '/hook/project', '/hook/team'])
      const [first, ...others] = receiver.received
      for (const { body, headers } of others) {
        expect(body).toEqual(first?.body)
        expect(headers['x-gitlab-event-uuid']).toBe(first?.headers['x-gitlab-event-uuid'])
      }
    },
  )

  test.runIf(onSqlite)(
    'can be tested with the newest vulnerability below the group, and log and resend deliveries',
    async () => {
      const { path, project } = await world()
      const receiver = await startReceiver()
      const { body: hook } = await server.admin.post(path, { url: receiver.url })
      const test = `${path}/${hook.id}/test/vulnerability_events`
      expect(await server.admin.post(test)).toMatchObject({
        status: 422,
        body: { message: 'Ensure the group has vulnerabilities.' },
      })
      await server.vulnerability(project, { name: 'Flaw' })
      expect(await server.admin.post(test)).toMatchObject({ status: 201 })
      expect(receiver.received).toMatchObject([
        { body: { object_attributes: { title: 'Flaw', project_id: project.id } } },
      ])
      const [delivery] = (await server.admin.get(`${path}/${hook.id}/events`)).body
      expect(delivery).toMatchObject({ trigger: 'vulnerability_hooks', response_status: '200' })
      const resent = await server.admin.post(`${path}/${hook.id}/events/${delivery.id}/resend`)
      expect(resent).toMatchObject({ status: 201, body: { response_status: 200 } })
      expect(receiver.received).toHaveLength(2)
    },
  )

  test('are deleted with the group', async () => {
    const { path, group } = await world()
    const receiver = await startReceiver()
    await server.admin.post(path, { url: receiver.url, vulnerability_events: true })
    expect((await server.admin.delete(`/groups/${group.id}`)).status).toBe(202)
    expect((await server.admin.get(path)).status).toBe(404)
    const left = await server.deps.db.all(sql`select id from hooks where namespace_id = ${group.id}`)
    expect(left).toEqual([])
  })
})
