import { beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../../testing/server.ts'

const clock = { now: '2026-05-01T10:00:00.000Z' }
let server: TestServer
beforeAll(async () => {
  server = await startServer({ clock })
})

let projects = 0
async function fresh() {
  const project = await server.project(`schedules-${++projects}/site`)
  return { project, path: `/projects/${project.id}/report_schedules` }
}

describe('scheduled reports of a project', () => {
  test('belong to their user, who creates, changes and deletes them', async () => {
    const { project, path } = await fresh()
    const [ada, bob] = [await server.as('developer', project), await server.as('maintainer', project)]
    const created = await ada.post(path)
    expect(created).toMatchObject({
      status: 201,
      body: {
        ...{ project_id: project.id, group_id: null, period: 'weekly', day: 1, hour: 8, time_zone: 'UTC' },
        ...{ next_at: '2026-05-04T08:00:00.000Z', reported_at: null },
      },
    })
    const one = `${path}/${created.body.id}`
    expect((await ada.get(path)).body).toEqual([created.body])
    expect((await ada.get(one)).body).toEqual(created.body)
    expect((await bob.get(path)).body).toEqual([])
    for (const reply of [await bob.get(one), await bob.put(one, { hour: 9 }), await bob.delete(one)]) {
      expect(reply.status).toBe(404)
    }
    const changed = await ada.put(one, { period: 'monthly', day: 31, time_zone: 'Asia/Tokyo' })
    expect(changed).toMatchObject({ status: 200, body: { next_at: '2026-05-30T23:00:00.000Z', hour: 8 } })
    const elsewhere = await fresh()
    expect((await server.admin.get(`${elsewhere.path}/${created.body.id}`)).status).toBe(404)
    expect((await ada.delete(one)).status).toBe(204)
    expect((await ada.get(path)).body).toEqual([])
    expect((await ada.delete(one)).status).toBe(404)
  })

  test('are refused with times that do not exist', async () => {
    const { project, path } = await fresh()
    const ada = await server.as('developer', project)
    const refused = async (body: object) => {
      const reply = await ada.post(path, body)
      expect(reply.status, reply.text).toBe(400)
      return reply.text
    }
    expect(await refused({ time_zone: 'Mars/Base' })).toContain('is not the name of a time zone')
    expect(await refused({ period: 'weekly', day: 8 })).toContain('of a week must be between 1 (Monday) and 7')
    expect(await refused({ period: 'daily' })).toContain('period does not have a valid value')
    expect(await refused({ period: 'monthly', day: 32 })).toContain('day')
    expect(await refused({ hour: 24 })).toContain('hour')
    const { body } = await ada.post(path, { period: 'monthly', day: 20 })
    expect((await ada.put(`${path}/${body.id}`, { period: 'weekly' })).status).toBe(400)
    expect((await ada.put(`${path}/${body.id}`)).status).toBe(400)
  })

  test('are for those who may read its vulnerabilities, also in groups', async () => {
    const { project, path } = await fresh()
    const groupPath = `/groups/${project['namespace'].id}/report_schedules`
    for (const [role, status] of [
      ['reporter', 403],
      ['outsider', 404],
    ] as const) {
      const client = await server.as(role, project)
      for (const reply of [await client.get(path), await client.post(path)]) expect(reply.status).toBe(status)
    }
    const member = await server.as('developer', project)
    expect((await member.post(groupPath)).status).toBe(403)
    expect((await server.admin.post(groupPath)).status).toBe(201)
    const reader = await server.client(member, { scopes: ['read_api'] })
    expect((await reader.get(path)).status).toBe(200)
    expect((await reader.post(path)).status).toBe(403)
  })

  test('are not for bots, which receive no e-mail', async () => {
    const { project, path } = await fresh()
    const token = await server.admin.post(`/projects/${project.id}/access_tokens`, {
      ...{ name: 'bot', scopes: ['api'], access_level: 40, expires_at: '2026-06-01' },
    })
    expect(token.status, token.text).toBe(201)
    const asBot = { headers: { 'private-token': token.body.token } }
    const refused = await server.anonymous.post(path, {}, asBot)
    expect(refused).toMatchObject({ status: 403 })
    expect(refused.text).toContain('Bot users receive no e-mail. Schedule the report as another user.')
    expect((await server.anonymous.get(path, asBot)).body).toEqual([])
  })

  test('are at most ten of a user, also when they are created at the same time', async () => {
    const { project, path } = await fresh()
    const ada = await server.as('developer', project)
    const replies = await Promise.all(Array.from({ length: 12 }, () => ada.post(path)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10)
    expect(replies.find(({ status }) => status !== 201)?.text).toContain('up to 10 scheduled reports')
  })
})
