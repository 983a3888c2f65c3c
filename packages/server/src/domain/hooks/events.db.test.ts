import { describe, expect, test } from 'vitest'
import { formWithFile } from '../../testing/client.ts'
import { onSqlite } from '../../testing/databases/database.ts'
import { entry } from '../../testing/reports/reports.ts'
import { startServer } from '../../testing/server.ts'
import { startReceiver } from '../../testing/stand-ins/receiver.ts'
import { removeExpiredMembers } from '../members/members.ts'

const kinds = ['import', 'upload', 'topic', 'member', 'token'] as const

/** Starts a server whose instance has a webhook with these events, and a project in the group `acme`. */
async function world(events: readonly (typeof kinds)[number][], hook: object = {}) {
  const clock = { now: '2026-05-01T10:00:00.000Z' }
  const settings = { webhooksReachPrivate: true, externalUrl: 'https://alcove.test' }
  const server = await startServer({ clock, settings })
  const project = await server.project('acme/site')
  const { body: group } = await server.admin.get('/groups/acme')
  const receiver = await startReceiver()
  const flags = Object.fromEntries(kinds.map((kind) => [`${kind}_events`, events.includes(kind)]))
  const added = await server.admin.post('/hooks', { url: receiver.url, ...flags, ...hook })
  expect(added.status, added.text).toBe(201)
  const received = async () => {
    await server.runJobs()
    return receiver.received.splice(0).map(({ body }) => body)
  }
  return { clock, server, project, group, receiver, received, hook: added.body }
}

describe('a webhook receives the events of', () => {
  test.runIf(onSqlite)('uploads, without their secret', async () => {
    const { server, project, received } = await world(['upload'])
    const { body } = await server.admin.post(`/projects/${project.id}/uploads`, formWithFile('file', 'a.txt', 'text'))
    const path = `/projects/${project.id}/uploads/${body.id}`
    await server.admin.delete(path)
    await server.admin.post(`${path}/restore`)
    const events = await received()
    const name = 'upload_created'
    expect(events.map((event) => event.event_name)).toEqual([name, 'upload_deleted', 'upload_restored'])
    expect(events[0]).toMatchObject({
      object_kind: 'upload',
      project: { path_with_namespace: 'acme/site' },
      object_attributes: { id: body.id, filename: 'a.txt', size: 4, url: `https://alcove.test/api/v4${path}` },
      user: { username: expect.any(String) },
    })
    expect(JSON.stringify(events)).not.toContain(body.url.split('/')[2])
    await server.admin.post('/groups/acme/uploads', formWithFile('file', 'b.txt', 'text'))
    expect(await received()).toMatchObject([{ event_name: name, group: { full_path: 'acme' } }])
  })

  test('topics, whichever way they change', async () => {
    const { server, project, received } = await world(['topic'])
    const create = async (name: string) => (await server.admin.post('/topics', { name, title: name })).body.id
    const [one, two] = [await create('one'), await create('two')]
    await server.admin.put(`/topics/${one}`, { title: 'First' })
    await server.admin.post('/topics/merge', { source_topic_id: two, target_topic_id: one })
    const { body: merges } = await server.admin.get('/topics/merges')
    await server.admin.post(`/topics/merges/${merges[0].id}/undo`)
    await server.admin.delete(`/topics/${two}`)
    await server.admin.put(`/projects/${project.id}`, { topics: ['three'] })
    const events = await received()
    expect(events.map((event) => [event.event_name, event.object_attributes.name, event.source?.name])).toEqual([
      ['topic_created', 'one', undefined],
      ['topic_created', 'two', undefined],
      ['topic_changed', 'one', undefined],
      ['topic_merged', 'one', 'two'],
      ['topic_merge_undone', 'one', 'two'],
      ['topic_created', 'two', undefined],
      ['topic_deleted', 'two', undefined],
      ['topic_created', 'three', undefined],
    ])
    expect(events[2]).toMatchObject({ object_attributes: { id: one, title: 'First', organization_id: 1 } })
    const file = formWithFile(
      'file',
      'topics.json',
      JSON.stringify({ version: 1, topics: [{ name: 'one' }, { name: 'four' }] }),
    )
    expect((await server.admin.post('/topics/import?prune=true', file)).status).toBeLessThan(300)
    expect((await received()).map((event) => [event.event_name, event.object_attributes.name])).toEqual([
      ['topic_created', 'four'],
      ['topic_deleted', 'three'],
    ])
  })

  test('members of projects and groups, in GitLab’s shape', async () => {
    const { clock, server, project, group, received } = await world(['member'])
    const { user } = await server.user('zoe')
    const path = `/projects/${project.id}/members`
    await server.admin.post(path, { user_id: user?.id, access_level: 30 })
    await server.admin.put(`${path}/${user?.id}`, { access_level: 40 })
    await server.admin.delete(`${path}/${user?.id}`)
    const events = await received()
    expect(events.map((event) => [event.event_name, event.access_level])).toEqual([
      ['user_add_to_team', 'Developer'],
      ['user_update_for_team', 'Maintainer'],
      ['user_remove_from_team', 'Maintainer'],
    ])
    expect(events[0]).toEqual({
      created_at: '2026-05-01T10:00:00Z',
      updated_at: '2026-05-01T10:00:00Z',
      event_name: 'user_add_to_team',
      access_level: 'Developer',
      project_id: project.id,
      project_name: 'site',
      project_path: 'site',
      project_path_with_namespace: 'acme/site',
      project_visibility: 'private',
      user_email: '[REDACTED]',
      user_name: expect.any(String),
      user_username: 'zoe',
      user_id: user?.id,
    })
    const terms = { user_id: user?.id, access_level: 20, expires_at: '2026-05-03' }
    await server.admin.post(`/groups/${group.id}/members`, terms)
    expect(await received()).toMatchObject([
      {
        event_name: 'user_add_to_group',
        group_access: 'Reporter',
        group_id: group.id,
        group_path: 'acme',
        expires_at: '2026-05-03T00:00:00Z',
      },
    ])
    clock.now = '2026-05-03T00:00:00.000Z'
    await removeExpiredMembers(server.deps)
    expect(await received()).toMatchObject([{ event_name: 'user_remove_from_group', user_username: 'zoe' }])
    await server.admin.post('/groups', { name: 'New', path: 'new' })
    expect(await received()).toMatchObject([
      { event_name: 'user_add_to_group', group_path: 'new', group_access: 'Owner' },
    ])
  })

  test.runIf(onSqlite)('access tokens of projects and groups', async () => {
    const { server, project, received } = await world(['token', 'member'])
    const path = `/projects/${project.id}/access_tokens`
    const { body: token } = await server.admin.post(path, { name: 'CI', scopes: ['api'], expires_at: '2026-08-01' })
    const { body: rotated } = await server.admin.post(`${path}/${token.id}/rotate`)
    await server.admin.delete(`${path}/${rotated.id}`)
    const events = await received()
    expect(events.map((event) => event.event_name)).toEqual([
      'created_access_token',
      'rotated_access_token',
      'revoked_access_token',
    ])
    expect(events[0]).toMatchObject({
      object_kind: 'access_token',
      project: { path_with_namespace: 'acme/site' },
      object_attributes: { id: token.id, name: 'CI', expires_at: '2026-08-01' },
    })
    expect(JSON.stringify(events)).not.toContain(token.token)
  })

  test.runIf(onSqlite)('reports that were imported or failed, on the refs of the filter', async () => {
    const { server, project, received } = await world(['import'], { refs: ['main', 'release/*'] })
    await server.report(project, [entry({ name: 'a', rule: 'a' }), entry({ name: 'b', rule: 'b' })])
    await server.report(project, [entry({ name: 'a', rule: 'a' })], { ref: 'feature' })
    await server.report(project, [entry({ name: 'a', rule: 'a' })], { ref: 'release/1' })
    const events = await received()
    expect(events.map((event) => [event.event_name, event.object_attributes.ref])).toEqual([
      ['report_imported', 'main'],
      ['report_imported', 'release/1'],
    ])
    expect(events[0]).toMatchObject({
      object_kind: 'security_report',
      project: { path_with_namespace: 'acme/site' },
      object_attributes: { state: 'done', new: 2, absent: 0, report_type: 'sast', error: null },
    })
    const broken = formWithFile('file', 'broken.json', '{"version": "15.2.1", "vulnerabilities": 7}')
    await server.admin.post(`/projects/${project.id}/security_reports?report_type=sast`, broken)
    expect(await received()).toMatchObject([
      { event_name: 'report_failed', object_attributes: { ref: 'main', state: 'failed', error: expect.any(String) } },
    ])
  })
})

test('events of a change that is rolled back are not sent', async () => {
  const { server, project, received } = await world(['member', 'upload', 'topic'])
  const { user } = await server.user('zoe')
  const path = `/projects/${project.id}/members`
  const add = () => server.admin.post(path, { user_id: user?.id, access_level: 30 })
  expect((await add()).status).toBe(201)
  expect((await add()).status).toBe(409)
  await server.admin.post('/topics', { name: 'one', title: 'One' })
  expect((await server.admin.post('/topics', { name: 'ONE', title: 'One' })).status).toBe(400)
  expect((await received()).map((event) => event.event_name)).toEqual(['user_add_to_team', 'topic_created'])
})

test.runIf(onSqlite)('a chat receives a sentence for every kind of event', async () => {
  const { server, project, received } = await world(kinds, { format: 'slack' })
  const { user } = await server.user('zoe')
  const at = `/projects/${project.id}`
  await server.admin.post(`${at}/members`, { user_id: user?.id, access_level: 30 })
  await server.admin.post('/topics', { name: 'one', title: 'One' })
  await server.admin.post(`${at}/uploads`, formWithFile('file', 'a.txt', 'text'))
  await server.admin.post(`${at}/access_tokens`, { name: 'CI', scopes: ['api'], expires_at: '2026-08-01' })
  await server.report(project, [entry({ name: 'a' })])
  expect((await received()).map(({ text }) => text.split('\n')[0])).toEqual([
    'A member was added to acme/site',
    '1 topic was created',
    'A file of acme/site was uploaded',
    'An access token of acme/site was created',
    'A report in acme/site was imported: 1 new, 0 absent',
  ])
})

test.runIf(onSqlite)('without a subscription nothing is recorded', async () => {
  const { server, project, receiver } = await world([])
  await server.admin.post(`/projects/${project.id}/uploads`, formWithFile('file', 'a.txt', 'text'))
  await server.admin.post('/topics', { name: 'one', title: 'One' })
  await server.report(project, [entry({ name: 'a' })])
  await server.runJobs()
  expect(receiver.received).toEqual([])
})
