import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { notifyExpiringTokens } from '../../../domain/bots/expiring-tokens.ts'
import { formWithFile } from '../../../testing/client.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'
import { type Receiver, startReceiver } from '../../../testing/stand-ins/receiver.ts'

const url = 'https://receiver.example/hook'
const clock = { now: '2026-04-25T10:00:00.000Z' }
let server: TestServer
let receiver: Receiver
const paths = { project: '', group: '', instance: '/hooks' }
beforeAll(async () => {
  server = await startServer({ clock, settings: { webhooksReachPrivate: true, externalUrl: 'https://alcove.test' } })
  const project = await server.project('acme/site')
  paths.project = `/projects/${project.id}/hooks`
  paths.group = '/groups/acme/hooks'
})

beforeEach(async () => {
  receiver = await startReceiver()
})

type Kind = keyof typeof paths
const common = ['vulnerability_events', 'import_events', 'upload_events', 'member_events', 'token_events'] as const
const triggersOf = {
  project: [...common, 'resource_access_token_events'],
  group: [...common, 'resource_access_token_events'],
  instance: [...common, 'resource_access_token_events', 'topic_events'],
} as const
type Trigger = (typeof triggersOf)[Kind][number]

const token = { name: 'CI', scopes: ['api'], expires_at: '2026-05-02' }
/** Causes an event in a place. */
const causes: Record<Trigger, (place: string) => Promise<unknown>> = {
  vulnerability_events: () => server.report(siteId(), [entry({ rule: String(++changes) })], { promote: 'true' }),
  import_events: () => server.report(siteId(), [entry({ name: 'Flaw' })]),
  upload_events: (place) => server.admin.post(`${place}/uploads`, formWithFile('file', 'a.txt', 'text')),
  async member_events(place) {
    const { user } = await server.user(`user-${++changes}`)
    return server.admin.post(`${place}/members`, { user_id: user?.id, access_level: 30 })
  },
  token_events: (place) => server.admin.post(`${place}/access_tokens`, token),
  async resource_access_token_events(place) {
    await server.admin.post(`${place}/access_tokens`, token)
    await notifyExpiringTokens(server.deps)
  },
  topic_events: () => server.admin.post('/topics', { name: `topic-${++changes}`, title: 'Topic' }),
}
let changes = 0
const siteId = () => ({ id: Number(paths.project.split('/')[2]) })

/** Sends a test, and returns the request. */
async function tested(kind: Kind, trigger: Trigger) {
  const { body: hook } = await server.admin.post(paths[kind], { url: receiver.url, member_events: false })
  const reply = await server.admin.post(`${paths[kind]}/${hook.id}/test/${trigger}`)
  expect(reply, reply.text).toMatchObject({ status: 201, body: { message: '201 Created' } })
  expect((await server.admin.delete(`${paths[kind]}/${hook.id}`)).status).toBe(204)
  const [sent, ...others] = receiver.received.splice(0)
  expect(others).toEqual([])
  return sent
}

/** Causes a real event, and returns the request that announces it. */
async function announced(kind: Kind, trigger: Trigger) {
  const subscription = { url: receiver.url, member_events: false, [trigger]: true }
  const { body: hook } = await server.admin.post(paths[kind], subscription)
  await causes[trigger](kind === 'group' ? '/groups/acme' : paths.project.replace('/hooks', ''))
  await server.runJobs()
  expect((await server.admin.delete(`${paths[kind]}/${hook.id}`)).status).toBe(204)
  return receiver.received.splice(0)[0]
}

/** Returns the names of all fields, in order, with those of nested objects. */
function namesIn(value: unknown): unknown {
  if (Array.isArray(value)) return 'list'
  if (value === null || typeof value !== 'object') return 'value'
  return Object.entries(value).map(([name, inner]) => [name, namesIn(inner)])
}

describe.for(['project', 'group', 'instance'] as const)('a webhook of the %s', (kind) => {
  test.for(triggersOf[kind])('can be tested with %s in the shape of a real event', async (trigger) => {
    const real = await announced(kind, trigger)
    const sample = await tested(kind, trigger)
    // An event of a project has a project also when a group or the instance receives it.
    expect(namesIn(sample?.body)).toEqual(namesIn(real?.body))
    expect(sample?.headers['x-gitlab-event']).toBe(real?.headers['x-gitlab-event'])
    expect(sample?.body.event_name).toBe(real?.body.event_name)
  })
})

describe('a test event', () => {
  test('of a project names the project, and nothing that exists otherwise', async () => {
    const { body } = (await tested('project', 'upload_events')) ?? {}
    expect(body).toMatchObject({
      project: { path_with_namespace: 'acme/site' },
      object_attributes: { id: 0, filename: 'sample.txt' },
      user: { id: 0, username: 'sample.user' },
    })
  })

  test('is a message in the format of the webhook', async () => {
    const { body: hook } = await server.admin.post(paths.instance, { url: receiver.url, format: 'slack' })
    await server.admin.post(`${paths.instance}/${hook.id}/test/topic_events`)
    expect(receiver.received.splice(0).map(({ body }) => body.text.split('\n')[0])).toEqual(['1 topic was created'])
  })

  test('of GitLab’s kinds that do not occur here is refused in GitLab’s words', async () => {
    for (const [kind, trigger] of [
      ['project', 'push_events'],
      ['project', 'resource_deploy_token_events'],
      ['group', 'subgroup_events'],
    ] as const) {
      const { body: hook } = await server.admin.post(paths[kind], { url })
      expect(await server.admin.post(`${paths[kind]}/${hook.id}/test/${trigger}`)).toMatchObject({
        status: 422,
        body: { message: 'Testing not available for this hook' },
      })
    }
  })

  test('of a kind that the place does not have is rejected', async () => {
    for (const [kind, trigger] of [
      ['project', 'topic_events'],
      ['project', 'subgroup_events'],
      ['group', 'topic_events'],
      ['instance', 'lunch_events'],
      ['instance', 'constructor'],
    ] as const) {
      const { body: hook } = await server.admin.post(paths[kind], { url })
      expect(await server.admin.post(`${paths[kind]}/${hook.id}/test/${trigger}`)).toMatchObject({
        status: 400,
        body: { error: 'trigger does not have a valid value' },
      })
    }
  })

  test('requires the role that manages the webhooks', async () => {
    const { body: hook } = await server.admin.post(paths.instance, { url })
    const maintainer = await server.as('maintainer', siteId())
    expect((await maintainer.post(`/hooks/${hook.id}/test/topic_events`)).status).toBe(403)
    expect((await server.anonymous.post(`/hooks/${hook.id}/test/topic_events`)).status).toBe(401)
    const { body: ofProject } = await server.admin.post(paths.project, { url })
    expect((await server.admin.post(`/hooks/${ofProject.id}/test/topic_events`)).status).toBe(404)
  })
})
