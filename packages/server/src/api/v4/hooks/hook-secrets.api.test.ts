import { beforeAll, describe, expect, test } from 'vitest'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'
import { startReceiver } from '../../../testing/stand-ins/receiver.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ settings: { webhooksReachPrivate: true } })
})

let projects = 0

async function world(hook: object) {
  const project = await server.project(`acme/secrets-${++projects}`)
  const receiver = await startReceiver()
  const hooks = `/projects/${project.id}/hooks`
  const added = await server.admin.post(hooks, { url: receiver.url, vulnerability_events: true, ...hook })
  return { project, receiver, hooks, added, path: `${hooks}/${added.body.id}` }
}

const header = (key: string, value = 'our secret') => ({ custom_headers: [{ key, value }] })

describe('custom headers of a webhook', () => {
  test('are sent, but neither returned nor logged', async () => {
    const { project, receiver, added, path } = await world(header('X-Team'))
    expect(added.body.custom_headers).toEqual([{ key: 'X-Team' }])
    await server.report(project, [entry({ name: 'Flaw' })])
    await server.runJobs()
    expect(receiver.received[0]?.headers).toMatchObject({
      'x-team': 'our secret',
      'x-gitlab-event': 'Vulnerability Hook',
    })
    const { body, text } = await server.admin.get(`${path}/events`)
    expect(body[0].request_headers).toMatchObject({ 'X-Team': '[REDACTED]' })
    expect(added.text + text).not.toContain('our secret')
  })

  test('are added by PUT, changed and deleted one by one, and removed with the URL', async () => {
    const { path } = await world(header('X-Team'))
    expect((await server.admin.put(path, header('X-Other'))).body.custom_headers).toEqual([
      { key: 'X-Team' },
      { key: 'X-Other' },
    ])
    expect(await server.admin.put(`${path}/custom_headers/X-Third`, { value: 'v' })).toMatchObject({
      status: 204,
      text: '',
    })
    expect(await server.admin.delete(`${path}/custom_headers/X-Team`)).toMatchObject({ status: 204, text: '' })
    expect(await server.admin.delete(`${path}/custom_headers/X-Team`)).toMatchObject({
      status: 404,
      body: { message: '404 Custom header Not Found' },
    })
    const keys = async () => (await server.admin.get(path)).body.custom_headers.map(({ key }: { key: string }) => key)
    expect((await keys()).sort()).toEqual(['X-Other', 'X-Third'])
    await server.admin.put(path, { url: 'https://other.example/hook' })
    expect(await keys()).toEqual([])
  })

  test.each(['Host', 'content-length', 'X-Gitlab-Token', 'webhook-signature', 'two words', 'line\r\nbreak'])(
    'are rejected with the name %j',
    async (name) => {
      const { hooks, path } = await world({})
      const refused = { status: 422, body: { error: 'Custom headers validation failed' } }
      expect(await server.admin.post(hooks, { url: 'https://x.example/', ...header(name) })).toMatchObject(refused)
      expect(await server.admin.put(path, header(name))).toMatchObject(refused)
      expect(
        await server.admin.put(`${path}/custom_headers/${encodeURIComponent(name)}`, { value: 'v' }),
      ).toMatchObject(refused)
      expect((await server.admin.get(path)).body.custom_headers).toEqual([])
    },
  )

  test('need a key and a value of printable characters', async () => {
    const { path } = await world({})
    expect(await server.admin.put(path, { custom_headers: [{ key: 'X-Team' }] })).toMatchObject({
      status: 400,
      body: { error: 'custom_headers[0][value] is missing' },
    })
    for (const value of ['', 'two\nlines', 'ü', 'x'.repeat(2049)]) {
      expect((await server.admin.put(path, header('X-Team', value))).status).toBe(422)
    }
    const many = Array.from({ length: 21 }, (_, index) => ({ key: `X-H${index}`, value: 'v' }))
    expect((await server.admin.put(path, { custom_headers: many })).status).toBe(422)
  })
})

describe('URL variables of a webhook', () => {
  test('are part of the requested URL, but not of responses and the log', async () => {
    const { project, receiver, hooks } = await world({})
    const added = await server.admin.post(hooks, {
      url: `${receiver.url}/{team}`,
      vulnerability_events: true,
      url_variables: [{ key: 'team', value: 'ours' }],
    })
    expect(added.body).toMatchObject({ url: `${receiver.url}/{team}`, url_variables: [{ key: 'team' }] })
    await server.report(project, [entry({ name: 'Flaw' })])
    await server.runJobs()
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/hook', '/hook/ours'])
    const log = await server.admin.get(`${hooks}/${added.body.id}/events`)
    expect(log.body[0].url).toBe(`${receiver.url}/{team}`)
    expect(log.text + added.text).not.toContain('ours')
  })

  test('must cover the URL', async () => {
    const { hooks } = await world({})
    const draft = { url: 'https://x.example/{team}/{key}', url_variables: [{ key: 'team', value: 'v' }] }
    expect(await server.admin.post(hooks, draft)).toMatchObject({
      status: 422,
      body: { error: 'Invalid url given' },
    })
    const url_variables = [...draft.url_variables, { key: 'key', value: 'v' }]
    const { status, body } = await server.admin.post(hooks, { ...draft, url_variables })
    expect(status).toBe(201)
    const path = `${hooks}/${body.id}/url_variables`
    expect((await server.admin.delete(`${path}/key`)).status).toBe(422)
    expect((await server.admin.put(`${path}/key`, { value: 'w' })).status).toBe(204)
    expect(await server.admin.delete(`${path}/none`)).toMatchObject({
      status: 404,
      body: { message: '404 URL variable Not Found' },
    })
  })
})

test('a URL variable that changes the host removes the secrets of the former receiver', async () => {
  const { hooks, receiver } = await world({})
  const added = await server.admin.post(hooks, {
    url: `http://{host}:${receiver.port}/{path}`,
    url_variables: [
      { key: 'host', value: 'receiver.example' },
      { key: 'path', value: 'secret-of-the-path' },
    ],
    ...{ token: 'secret-of-token', signing_token: 'secret-of-signing', import_events: true },
    ...header('X-Team', 'secret-of-header'),
  })
  const path = `${hooks}/${added.body.id}`
  const kept = { token_present: true, signing_token_present: true, custom_headers: [{ key: 'X-Team' }] }
  expect((await server.admin.put(`${path}/url_variables/path`, { value: 'rotated-path' })).status).toBe(204)
  expect((await server.admin.get(path)).body).toMatchObject(kept)
  // The path is a secret of the former receiver too, and the URL needs it.
  expect((await server.admin.put(`${path}/url_variables/host`, { value: '127.0.0.1' })).status).toBe(422)
  expect((await server.admin.get(path)).body).toMatchObject(kept)
  const url_variables = [
    { key: 'host', value: '127.0.0.1' },
    { key: 'path', value: 'mine' },
  ]
  expect((await server.admin.put(path, { url_variables })).body).toMatchObject({
    ...{ token_present: false, signing_token_present: false, custom_headers: [] },
    url_variables: [{ key: 'host' }, { key: 'path' }],
  })
  expect((await server.admin.post(`${path}/test/import_events`)).status).toBe(201)
  expect(receiver.received.map(({ path }) => path)).toEqual(['/mine'])
  expect(JSON.stringify(receiver.received)).not.toContain('secret-of')
})

test('secrets that a receiver repeats are not returned or logged', async () => {
  const { hooks, receiver } = await world({})
  const added = await server.admin.post(hooks, {
    url: `${receiver.url}/{key}`,
    url_variables: [{ key: 'key', value: 'Secret-Of-The-Url' }],
    ...{ token: 'secret-of-token', import_events: true },
    ...header('X-Team', 'secret-of-header'),
  })
  const path = `${hooks}/${added.body.id}`
  receiver.answer = (response, request) => {
    response.writeHead(301, { location: `https://other.example${request.path}` })
    response.end(`not here: ${JSON.stringify(request.headers)}`)
  }
  const test = await server.admin.post(`${path}/test/import_events`)
  const log = await server.admin.get(`${path}/events`)
  expect(log.body[0].response_headers).toMatchObject({ location: 'https://other.example/hook/[REDACTED]' })
  expect(log.body[0].response_body).toContain('not here: ')
  expect(test.text + log.text).not.toMatch(/secret-of/i)
  // An error names the host.
  await server.admin.put(path, {
    url: 'https://{host}/hook',
    url_variables: [{ key: 'host', value: 'Secret-Of-Host.invalid' }],
  })
  const failed = await server.admin.post(`${path}/test/import_events`)
  expect(failed).toMatchObject({ status: 422, body: { message: 'the host name [REDACTED] has no address' } })
  expect((await server.admin.get(`${path}/events`)).text).not.toMatch(/secret-of/i)
})

test('every attribute of gitlab_project_hook that a client sets is stored and returned', async () => {
  const flags = [
    ...['push_events', 'tag_push_events', 'merge_requests_events', 'issues_events', 'confidential_issues_events'],
    ...['note_events', 'confidential_note_events', 'pipeline_events', 'wiki_page_events', 'deployment_events'],
    ...['feature_flag_events', 'job_events', 'releases_events', 'milestone_events', 'emoji_events'],
    ...['resource_access_token_events', 'resource_deploy_token_events', 'vulnerability_events'],
    'enable_ssl_verification',
  ]
  const texts = {
    name: 'Alarm',
    description: 'For the team',
    push_events_branch_filter: 'release/*',
    branch_filter_strategy: 'wildcard',
    custom_webhook_template: '{"kind":"{{object_kind}}"}',
  }
  for (const value of [true, false]) {
    const attributes = { ...texts, ...Object.fromEntries(flags.map((name) => [name, value])) }
    const secrets = { token: 'write-only', signing_token: 'signs', ...header('X-Team') }
    const { added, path } = await world({ ...attributes, ...secrets })
    expect(added).toMatchObject({ status: 201, body: attributes })
    expect((await server.admin.get(path)).body).toMatchObject({ ...attributes, custom_headers: [{ key: 'X-Team' }] })
    // A client that applies its configuration again finds no difference.
    expect((await server.admin.put(path, { ...attributes, ...secrets })).body).toEqual(added.body)
  }
})
