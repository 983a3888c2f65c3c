import { beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../../testing/server.ts'
import { startReceiver } from '../../../testing/stand-ins/receiver.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
const freshProject = () => server.project(`acme/hooks-${++projects}`)
const url = 'https://receiver.example/hook'

describe('webhooks', () => {
  test('can be created, listed, updated and deleted, in GitLab’s format', async () => {
    const project = await freshProject()
    const maintainer = await server.as('maintainer', project)
    const path = `/projects/${project.id}/hooks`
    const added = await maintainer.post(path, {
      url,
      name: 'Alarm',
      description: 'Tells the team',
      token: 'secret',
      vulnerability_events: true,
      push_events: true,
    })
    expect(added.status).toBe(201)
    expect(added.body).toEqual({
      id: expect.any(Number),
      url,
      name: 'Alarm',
      description: 'Tells the team',
      created_at: expect.stringMatching(/Z$/),
      push_events: true,
      tag_push_events: false,
      merge_requests_events: false,
      repository_update_events: false,
      enable_ssl_verification: true,
      alert_status: 'executable',
      disabled_until: null,
      url_variables: [],
      push_events_branch_filter: null,
      branch_filter_strategy: 'wildcard',
      custom_webhook_template: null,
      custom_headers: [],
      project_id: project.id,
      issues_events: false,
      confidential_issues_events: false,
      note_events: false,
      confidential_note_events: false,
      pipeline_events: false,
      wiki_page_events: false,
      deployment_events: false,
      feature_flag_events: false,
      job_events: false,
      releases_events: false,
      milestone_events: false,
      emoji_events: false,
      resource_access_token_events: false,
      resource_deploy_token_events: false,
      vulnerability_events: true,
      token_present: true,
      signing_token_present: false,
      import_events: false,
      upload_events: false,
      member_events: false,
      token_events: false,
      format: 'gitlab',
      min_severity: null,
      states: [],
      refs: [],
      saved_view_id: null,
    })
    const { id } = added.body
    const second = await maintainer.post(path, { url: `${url}/2` })
    expect(second.body).toMatchObject({ name: null, vulnerability_events: false })
    const list = await maintainer.get(path)
    expect(list.body).toEqual([added.body, second.body])
    expect(list.headers['x-total']).toBe('2')
    expect((await maintainer.get(`${path}/${id}`)).body).toEqual(added.body)

    const changed = await maintainer.put(`${path}/${id}`, {
      vulnerability_events: false,
      enable_ssl_verification: false,
    })
    expect(changed).toMatchObject({
      status: 200,
      body: { ...added.body, vulnerability_events: false, enable_ssl_verification: false },
    })
    expect(await maintainer.delete(`${path}/${id}`)).toMatchObject({ status: 204, text: '' })
    for (const reply of [
      await maintainer.get(`${path}/${id}`),
      await maintainer.put(`${path}/${id}`, { url }),
      await maintainer.delete(`${path}/${id}`),
      await maintainer.get(`${path}/${id}/events`),
      await maintainer.post(`${path}/${id}/test/vulnerability_events`),
      await maintainer.post(`${path}/${id}/events/1/resend`),
    ]) {
      expect(reply).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    }
  })

  test('of another project return 404', async () => {
    const [one, other] = [await freshProject(), await freshProject()]
    const { body } = await server.admin.post(`/projects/${one.id}/hooks`, { url })
    const path = `/projects/${other.id}/hooks/${body.id}`
    for (const reply of [
      await server.admin.get(path),
      await server.admin.put(path, { url }),
      await server.admin.delete(path),
    ]) {
      expect(reply.status).toBe(404)
    }
    expect((await server.admin.get(`/projects/${one.id}/hooks/${body.id}`)).status).toBe(200)
  })

  test('require Maintainer', async () => {
    const project = await freshProject()
    const path = `/projects/${project.id}/hooks`
    const { body } = await server.admin.post(path, { url })
    const developer = await server.as('developer', project)
    for (const reply of [
      await developer.get(path),
      await developer.get(`${path}/${body.id}`),
      await developer.post(path, { url }),
      await developer.put(`${path}/${body.id}`, { url }),
      await developer.delete(`${path}/${body.id}`),
      await developer.get(`${path}/${body.id}/events`),
    ]) {
      expect(reply).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    }
    expect((await server.anonymous.get(path)).status).toBe(401)
    expect((await (await server.as('outsider', project)).get(path)).status).toBe(404)
  })

  test.for([
    ...['nowhere', 'ftp://receiver.example/', 'javascript:alert(1)', 'http://', 'file:///etc/passwd'],
    ...['http://127.0.0.1/', 'http://localhost:9200/', 'http://0x7f.1/', 'http://[::1]/', 'http://10.1.2.3/'],
    ...['http://169.254.169.254/latest/meta-data/', 'http://[::ffff:192.168.0.1]/', 'http://db.localhost/'],
    `https://receiver.example/${'x'.repeat(2100)}`,
  ])('reject the URL %s', async (wrong) => {
    const project = await freshProject()
    const refused = { status: 422, body: { error: 'Invalid url given' } }
    expect(await server.admin.post(`/projects/${project.id}/hooks`, { url: wrong })).toMatchObject(refused)
    const { body } = await server.admin.post(`/projects/${project.id}/hooks`, { url })
    const path = `/projects/${project.id}/hooks/${body.id}`
    expect(await server.admin.put(path, { url: wrong })).toMatchObject(refused)
    expect((await server.admin.get(path)).body.url).toBe(url)
  })

  test('reject invalid input with the reason', async () => {
    const project = await freshProject()
    const path = `/projects/${project.id}/hooks`
    expect(await server.admin.post(path, {})).toMatchObject({ status: 400, body: { error: 'url is missing' } })
    expect(await server.admin.post(path, { url, vulnerability_events: 'perhaps' })).toMatchObject({
      status: 400,
      body: { error: 'vulnerability_events is invalid' },
    })
    expect(await server.admin.post(path, { url, token: 'two\nlines' })).toMatchObject({
      status: 422,
      body: { message: 'the token may hold printable ASCII characters only' },
    })
    const { body } = await server.admin.post(path, { url })
    expect(await server.admin.put(`${path}/${body.id}`, {})).toMatchObject({
      status: 400,
      body: { error: 'No parameters provided' },
    })
  })

  test('are limited to 100 per project', async () => {
    const project = await freshProject()
    const add = () => server.admin.post(`/projects/${project.id}/hooks`, { url })
    for (let count = 0; count < 98; count++) await add()
    const replies = await Promise.all([add(), add(), add(), add()])
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422])
    expect((await add()).body).toEqual({ message: 'Maximum number of project hooks (100) exceeded' })
  })

  test('keep their token on updates, lose it with a new URL, and can be tested five times a minute', async () => {
    const trusting = await startServer({ settings: { webhooksReachPrivate: true } })
    const project = await trusting.project('acme/tokens')
    const receiver = await startReceiver()
    await trusting.vulnerability(project)
    const path = `/projects/${project.id}/hooks`
    const { body } = await trusting.admin.post(path, { url: receiver.url, token: 'secret' })
    const attempt = () => trusting.admin.post(`${path}/${body.id}/test/vulnerability_events`)
    const sentToken = async () => {
      expect(await attempt()).toMatchObject({ status: 201, body: { message: '201 Created' } })
      return receiver.received.at(-1)?.headers['x-gitlab-token']
    }
    await trusting.admin.put(`${path}/${body.id}`, { name: 'renamed' })
    expect(await sentToken()).toBe('secret')
    await trusting.admin.put(`${path}/${body.id}`, { url: `${receiver.url}/elsewhere` })
    expect(await sentToken()).toBeUndefined()
    await trusting.admin.put(`${path}/${body.id}`, { url: receiver.url, token: 'new secret' })
    expect(await sentToken()).toBe('new secret')

    receiver.answer = (response) => response.writeHead(500).end('out of order')
    expect(await attempt()).toMatchObject({ status: 422, body: { message: 'out of order' } })
    receiver.answer = (response) => response.writeHead(404).end()
    expect(await attempt()).toMatchObject({ status: 422, body: { message: 'the receiver answered 404' } })
    expect(await attempt()).toMatchObject({
      status: 429,
      body: { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
    })
    expect(receiver.received).toHaveLength(5)
  })

  test('can be tested only when the project has an event of that kind', async () => {
    const project = await freshProject()
    const path = `/projects/${project.id}/hooks`
    const { body } = await server.admin.post(path, { url })
    const attempt = (trigger: string) => server.admin.post(`${path}/${body.id}/test/${trigger}`)
    expect(await attempt('vulnerability_events')).toMatchObject({
      status: 422,
      body: { message: 'Ensure the project has vulnerabilities.' },
    })
    expect(await attempt('push_events')).toMatchObject({
      status: 422,
      body: { message: 'Testing not available for this hook' },
    })
    expect(await attempt('lunch_events')).toMatchObject({
      status: 400,
      body: { error: 'trigger does not have a valid value' },
    })
  })
})
