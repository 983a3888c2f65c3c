import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

describe('audit events', () => {
  const clock = { now: '2026-03-01T10:00:00.000Z' }
  let server: TestServer
  let project: TestProject
  let maintainer: Client
  let groupId: number

  beforeAll(async () => {
    server = await startServer({ clock })
    project = await server.project('acme/site')
    maintainer = await server.as('maintainer', project)
    groupId = project.namespace.id
    clock.now = '2026-03-02T10:00:00.000Z'
    await server.admin.put(`/projects/${project.id}`, { visibility: 'public', description: 'A site' })
    await server.admin.put(`/groups/${groupId}`, { description: 'A group' })
  })

  test('have the shape of GitLab', async () => {
    const { body, status } = await maintainer.get(`/projects/${project.id}/audit_events?per_page=1`)
    expect(status).toBe(200)
    expect(body).toEqual([
      {
        id: expect.any(Number),
        author_id: 1,
        entity_id: project.id,
        entity_type: 'Project',
        event_name: 'project_updated',
        details: {
          event_name: 'project_updated',
          changes: {
            visibility: { from: 'private', to: 'public' },
            description: { from: null, to: 'A site' },
          },
          custom_message: 'Changed the project',
          author_name: 'Administrator',
          author_username: 'root',
          target_id: project.id,
          target_type: 'Project',
          target_details: 'acme/site',
          ip_address: '127.0.0.1',
          entity_path: 'acme/site',
          token: { id: expect.any(Number), kind: 'personal' },
        },
        created_at: '2026-03-02T10:00:00.000Z',
      },
    ])
    const one = await maintainer.get(`/projects/${project.id}/audit_events/${body[0].id}`)
    expect(one.body).toEqual(body[0])
  })

  test('of a project or group are its own only', async () => {
    const { body: ofGroup } = await server.admin.get(`/groups/${groupId}/audit_events`)
    expect(ofGroup.map((event: { event_name: string }) => event.event_name)).toEqual(['group_updated', 'group_created'])
    const other = await server.admin.get(`/projects/${project.id}/audit_events/${ofGroup[0].id}`)
    expect(other).toMatchObject({ status: 404 })
    expect((await server.admin.get(`/audit_events/${ofGroup[0].id}`)).status).toBe(200)
  })

  test('are listed to administrators, owners of the group, and maintainers of the project', async () => {
    expect((await maintainer.get('/audit_events')).status).toBe(403)
    expect((await maintainer.get(`/groups/${groupId}/audit_events`)).status).toBe(403)
    const developer = await server.as('developer', project)
    expect((await developer.get(`/projects/${project.id}/audit_events`)).status).toBe(403)
    expect((await server.anonymous.get('/audit_events')).status).toBe(401)
    const hidden = await server.project('acme/hidden')
    expect((await developer.get(`/projects/${hidden.id}/audit_events`)).status).toBe(404)
  })

  test('are filtered by time, entity and author', async () => {
    const early = await server.admin.get(`/audit_events?created_before=2026-03-01T12:00:00Z&entity_type=Project`)
    expect(early.body.map((event: { event_name: string }) => event.event_name)).toEqual([
      'member_created',
      'project_created',
    ])
    const late = await server.admin.get('/audit_events?created_after=2026-03-02T00:00:00Z&entity_type=Group')
    expect(late.body).toMatchObject([{ event_name: 'group_updated' }])
    const ofOne = await server.admin.get(
      `/audit_events?created_before=2026-03-01T12:00:00Z&entity_type=Project&entity_id=${project.id}`,
    )
    expect(ofOne.headers['x-total']).toBe('2')
    expect((await server.admin.get(`/audit_events?author_id=${maintainer.user?.id}`)).body).toEqual([])
    expect((await server.admin.get('/audit_events?entity_id=1')).status).toBe(400)
  })

  test('are paged by cursor without end', async () => {
    const ids: number[] = []
    let url: string | undefined = '/audit_events?pagination=keyset&per_page=2'
    while (url) {
      const reply = await server.admin.get(url)
      ids.push(...reply.body.map(({ id }: { id: number }) => id))
      url = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(`${reply.headers['link']}`)?.[1]
    }
    const { body } = await server.admin.get('/audit_events?per_page=100')
    expect(ids).toEqual(body.map(({ id }: { id: number }) => id))
    expect(ids.length).toBeGreaterThan(4)
  })

  test('stay when their project, group and author are deleted', async () => {
    const owner = await server.user('owner')
    const { body: group } = await owner.post('/groups', { name: 'brief', path: 'brief' })
    const { body: made } = await owner.post('/projects', { name: 'short', namespace_id: group.id })
    await owner.delete(`/projects/${made.id}`)
    await owner.delete(`/groups/${group.id}`)
    await server.admin.delete(`/users/${owner.user?.id}?hard_delete=true`)

    const { body } = await server.admin.get(`/audit_events?entity_type=Project&entity_id=${made.id}`)
    expect(body).toMatchObject([
      {
        event_name: 'project_destroyed',
        author_id: owner.user?.id,
        details: { author_name: 'owner', entity_path: 'brief/short' },
      },
      { event_name: 'project_created', author_id: owner.user?.id },
    ])
    const { body: ofUser } = await server.admin.get(`/audit_events?entity_type=User&entity_id=${owner.user?.id}`)
    expect(ofUser[0]).toMatchObject({ event_name: 'user_destroyed', details: { target_details: 'owner' } })
  })

  test('of webhooks contain neither secrets nor the path of the URL', async () => {
    const hook = { url: 'https://chat.example.com/secret-path?key=1', token: 'secret-token' }
    const { body: created } = await maintainer.post(`/projects/${project.id}/hooks`, hook)
    await maintainer.put(`/projects/${project.id}/hooks/${created.id}`, { url: 'https://other.example.com/secret-two' })
    await maintainer.delete(`/projects/${project.id}/hooks/${created.id}`)
    const { body, text } = await maintainer.get(`/projects/${project.id}/audit_events?per_page=3`)
    expect(body.map((event: { event_name: string }) => event.event_name)).toEqual([
      'webhook_destroyed',
      'webhook_updated',
      'webhook_created',
    ])
    expect(text).toContain('https://chat.example.com')
    expect(text).not.toContain('secret')
  })
})
