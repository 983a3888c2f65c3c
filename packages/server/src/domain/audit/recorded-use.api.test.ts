import { describe, expect, test } from 'vitest'
import { newestEvents } from '../../testing/audit-events.ts'
import { formWithFile } from '../../testing/client.ts'
import { startServer } from '../../testing/server.ts'

describe('acting as another user', () => {
  test('with sudo is recorded once an hour for each user, also for requests that only read', async () => {
    const clock = { now: '2026-05-01T10:10:00.000Z' }
    const server = await startServer({ clock })
    const [ada, omar] = [await server.user('ada'), await server.user('omar')]
    const read = async (username: string) =>
      expect((await server.admin.get('/user', { headers: { sudo: username } })).body.username).toBe(username)
    const recorded = async () => (await newestEvents(server, 10)).filter(({ name }) => name === 'user_impersonation')
    for (const username of ['ada', 'ada', 'omar', 'ada']) await read(username)
    expect(await recorded()).toMatchObject([
      { entityType: 'User', entityId: omar.user?.id, details: { author_username: 'root', target_details: 'omar' } },
      {
        entityType: 'User',
        entityId: ada.user?.id,
        details: {
          author_username: 'root',
          target_details: 'ada',
          custom_message: 'Acted as the user with sudo',
          ip_address: '127.0.0.1',
          token: { kind: 'personal' },
        },
      },
    ])
    clock.now = '2026-05-01T11:00:00.000Z'
    await read('ada')
    expect(await recorded()).toHaveLength(3)
  })

  test('with an impersonation token is recorded with the id of the token, and a refused request is not', async () => {
    const server = await startServer()
    const ada = await server.user('ada')
    const created = await server.admin.post(`/users/${ada.user?.id}/impersonation_tokens`, {
      name: 'x',
      scopes: ['api'],
    })
    const headers = { 'private-token': created.body.token }
    expect((await server.anonymous.get('/users?per_page=1', { headers: { ...headers, sudo: 'root' } })).status).toBe(
      403,
    )
    const before = await newestEvents(server, 20)
    expect(before.filter(({ name }) => name === 'user_impersonation')).toEqual([])
    expect((await server.anonymous.get('/user', { headers })).status).toBe(200)
    expect(await newestEvents(server, 1)).toMatchObject([
      {
        name: 'user_impersonation',
        entityId: ada.user?.id,
        details: { author_username: 'ada', token: { id: created.body.id, kind: 'impersonation' } },
      },
    ])
  })
})

describe('downloads', () => {
  test.for([
    [true, 2],
    [false, 0],
  ] as const)('of uploads are events with ALCOVE_AUDIT_DOWNLOADS=on only: %s', async ([auditsDownloads, count]) => {
    const server = await startServer({ settings: { auditsDownloads } })
    const project = await server.project('acme/shop')
    const upload = await server.admin.post(`/projects/${project.id}/uploads`, formWithFile('file', 'plan.txt', 'x'))
    const { id, full_path: path } = upload.body
    expect((await server.admin.get(`/projects/${project.id}/uploads/${id}`)).status).toBe(200)
    expect((await server.admin.get(`/${path}`)).status).toBe(200)
    const events = (await newestEvents(server, 10)).filter(({ name }) => name === 'upload_downloaded')
    expect(events).toHaveLength(count)
    for (const event of events) {
      expect(event).toMatchObject({
        entityType: 'Project',
        entityId: project.id,
        details: { target_details: 'plan.txt' },
      })
      expect(JSON.stringify(event)).not.toContain(upload.body.url.split('/')[2])
    }
  })

  test('by a link are events whatever part is requested', async () => {
    const server = await startServer({ settings: { auditsDownloads: true } })
    const base = `/projects/${(await server.project('acme/shop')).id}/uploads`
    const { id } = (await server.admin.post(base, formWithFile('file', 'plan.txt', 'plan'))).body
    const { url } = (await server.admin.post(`${base}/${id}/links`)).body
    const path = `/${new URL(url).pathname}`
    expect((await server.anonymous.get(path, { headers: { range: 'bytes=1-' } })).text).toBe('lan')
    expect((await server.anonymous.head(path)).status).toBe(200)
    const events = (await newestEvents(server, 10)).filter(({ name }) => name === 'upload_downloaded')
    expect(events).toHaveLength(1)
    expect((await server.admin.get(`${base}/${id}/links`)).body).toMatchObject([{ uses: 0 }])
  })

  test('of exports are events with their project', async () => {
    const server = await startServer({ settings: { auditsDownloads: true } })
    const project = await server.project('acme/shop')
    const { body } = await server.admin.post(`/security/projects/${project.id}/vulnerability_exports`)
    expect((await server.admin.get(`/security/vulnerability_exports/${body.id}/download`)).status).toBe(404)
    await server.runJobs()
    expect((await server.admin.get(`/security/vulnerability_exports/${body.id}/download`)).status).toBe(200)
    const events = (await newestEvents(server, 10)).filter(({ name }) => name.startsWith('vulnerability_export'))
    expect(events).toMatchObject([
      { name: 'vulnerability_export_downloaded', entityType: 'Project', entityId: project.id },
      { name: 'vulnerability_export_created' },
    ])
  })
})
