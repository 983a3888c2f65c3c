import { expect, test } from 'vitest'
import { startServer } from '../../testing/server.ts'
import { startReceiver } from '../../testing/stand-ins/receiver.ts'
import { notifyExpiringTokens } from './expiring-tokens.ts'

/** A project with a webhook for tokens that expire on 2 May 2026. */
async function world() {
  const clock = { now: '2026-02-14T12:00:00.000Z' }
  const settings = { webhooksReachPrivate: true, externalUrl: 'https://alcove.test' }
  const server = await startServer({ clock, settings })
  const project = await server.project('acme/site')
  const receiver = await startReceiver()
  const hook = { url: receiver.url, resource_access_token_events: true }
  const added = await server.admin.post(`/projects/${project.id}/hooks`, hook)
  expect(added).toMatchObject({ status: 201, body: { resource_access_token_events: true } })
  const tokens = `/projects/${project.id}/access_tokens`
  const { body: token } = await server.admin.post(tokens, { name: 'ci', scopes: ['api'], expires_at: '2026-05-02' })
  return {
    ...{ server, project, receiver, tokens, token, hookId: added.body.id },
    /** Returns the events sent until this day. */
    async runOn(day: string) {
      clock.now = `${day}T12:00:00.000Z`
      await notifyExpiringTokens(server.deps)
      await server.runJobs()
      return receiver.received.splice(0)
    },
  }
}

test('a token that expires soon is announced 60, 30 and 7 days before, each once', async () => {
  const { runOn, token, project, server, hookId } = await world()
  expect(await runOn('2026-03-02')).toEqual([])
  const [first, ...others] = await runOn('2026-03-03')
  expect(others).toEqual([])
  expect(first?.headers['x-gitlab-event']).toBe('Resource Access Token Hook')
  expect(first?.body).toMatchObject({
    object_kind: 'access_token',
    project: { id: project.id, web_url: 'https://alcove.test/acme/site', visibility_level: 0 },
    object_attributes: { user_id: token.user_id, id: token.id, name: 'ci', expires_at: '2026-05-02' },
    event_name: 'expiring_access_token',
  })
  expect(await runOn('2026-04-01')).toEqual([])
  expect(await runOn('2026-04-02')).toHaveLength(1)
  expect(await runOn('2026-04-24')).toEqual([])
  expect(await runOn('2026-04-25')).toHaveLength(1)
  expect(await runOn('2026-05-01')).toEqual([])
  expect(await runOn('2026-05-02')).toEqual([])
  const log = await server.admin.get(`/projects/${project.id}/hooks/${hookId}/events`)
  expect(log.body[0]).toMatchObject({ trigger: 'resource_access_token_hooks' })
})

test('a token that is found late is announced once, and revoked ones and other webhooks are left out', async () => {
  const { runOn, server, tokens, project, hookId } = await world()
  const { body: revoked } = await server.admin.post(tokens, { name: 'x', scopes: ['api'], expires_at: '2026-05-02' })
  await server.admin.delete(`${tokens}/${revoked.id}`)
  await server.admin.put(`/projects/${project.id}/hooks/${hookId}`, { resource_access_token_events: false })
  expect(await runOn('2026-04-28')).toEqual([])
  await server.admin.put(`/projects/${project.id}/hooks/${hookId}`, { resource_access_token_events: true })
  const events = await runOn('2026-04-28')
  expect(events.map(({ body }) => body.object_attributes.name)).toEqual(['ci'])
  expect(await runOn('2026-04-29')).toEqual([])
})

test('a webhook of a group receives the tokens of its groups and projects, in the format of each', async () => {
  const { server, receiver, runOn, project, hookId } = await world()
  await server.admin.put(`/projects/${project.id}/hooks/${hookId}`, { resource_access_token_events: false })
  const { body: acme } = await server.admin.get('/groups/acme')
  const { body: team } = await server.admin.post('/groups', { name: 'The team', path: 'team', parent_id: acme.id })
  const { body: other } = await server.admin.post('/groups', { name: 'Other', path: 'other' })
  for (const { id } of [team, other]) {
    const token = { name: `of ${id}`, scopes: ['api'], expires_at: '2026-05-02' }
    expect((await server.admin.post(`/groups/${id}/access_tokens`, token)).status).toBe(201)
  }
  expect(await runOn('2026-04-28')).toEqual([])
  const hook = { url: receiver.url, resource_access_token_events: true }
  await server.admin.post(`/groups/${acme.id}/hooks`, hook)
  const events = (await runOn('2026-04-28')).map(({ body }) => body)
  expect(events).toHaveLength(2)
  expect(events.find(({ project }) => project)).toMatchObject({ project: { id: project.id } })
  expect(events.find(({ group }) => group)).toEqual({
    object_kind: 'access_token',
    group: { group_name: 'The team', group_path: 'team', full_path: 'acme/team', group_id: team.id },
    object_attributes: expect.objectContaining({ name: `of ${team.id}`, expires_at: '2026-05-02' }),
    event_name: 'expiring_access_token',
  })
  expect(await runOn('2026-04-29')).toEqual([])
})
