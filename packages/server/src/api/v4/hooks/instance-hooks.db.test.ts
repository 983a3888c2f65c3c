import { describe, expect, test } from 'vitest'
import { onSqlite } from '../../../testing/databases/database.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer } from '../../../testing/server.ts'
import { startReceiver } from '../../../testing/stand-ins/receiver.ts'

const url = 'https://receiver.example/hook'
const start = () => startServer({ settings: { webhooksReachPrivate: true } })

describe('webhooks of the instance', () => {
  test.runIf(onSqlite)(
    'can be created, listed, updated and deleted by administrators, as GitLab’s system hooks',
    async () => {
      const { admin, ...server } = await start()
      const added = await admin.post('/hooks', { url, name: 'Audit', token: 'secret', push_events: true })
      expect(added).toMatchObject({
        status: 201,
        body: {
          url,
          name: 'Audit',
          push_events: true,
          tag_push_events: false,
          merge_requests_events: false,
          repository_update_events: false,
          enable_ssl_verification: true,
          member_events: true,
          topic_events: false,
          project_ids: [],
          custom_headers: [],
        },
      })
      expect(added.text).not.toContain('secret')
      for (const name of ['project_id', 'group_id']) expect(added.body).not.toHaveProperty(name)
      const path = `/hooks/${added.body.id}`
      expect((await admin.get('/hooks')).body).toEqual([added.body])
      expect((await admin.get(path)).body).toEqual(added.body)
      expect((await admin.put(path, { topic_events: true, project_ids: [7, 7] })).body).toEqual({
        ...added.body,
        topic_events: true,
        project_ids: [7],
      })
      const project = await server.project('acme/site')
      expect((await admin.get(`/projects/${project.id}${path}`)).status).toBe(404)
      const { body: ofProject } = await admin.post(`/projects/${project.id}/hooks`, { url })
      for (const send of [admin.get, admin.delete]) expect((await send(`/hooks/${ofProject.id}`)).status).toBe(404)
      expect((await admin.delete(path)).status).toBe(204)
      expect((await admin.get(path)).status).toBe(404)
    },
  )

  test.runIf(onSqlite)('are for administrators only', async () => {
    const { admin, anonymous, ...server } = await start()
    const { body } = await admin.post('/hooks', { url })
    const owner = await server.user('owner')
    for (const reply of [
      await owner.get('/hooks'),
      await owner.post('/hooks', { url }),
      await owner.get(`/hooks/${body.id}`),
      await owner.post(`/hooks/${body.id}`),
      await owner.put(`/hooks/${body.id}/custom_headers/X-Team`, { value: 'v' }),
    ]) {
      expect(reply).toMatchObject({ status: 403 })
    }
    expect((await anonymous.get('/hooks')).status).toBe(401)
  })

  test('are limited to 50, also when they are created at the same time', async () => {
    const { admin } = await start()
    const add = () => admin.post('/hooks', { url })
    for (let count = 0; count < 47; count++) await add()
    const replies = await Promise.all(Array.from({ length: 8 }, add))
    const accepted = replies.filter(({ status }) => status === 201)
    expect(accepted).toHaveLength(3)
    for (const reply of replies.filter((reply) => !accepted.includes(reply))) {
      expect(reply).toMatchObject({
        status: 422,
        body: { message: 'Maximum number of instance hooks (50) exceeded' },
      })
    }
    expect((await admin.get('/hooks?per_page=1')).headers['x-total']).toBe('50')
  })

  test.runIf(onSqlite)(
    'receive the events of all projects with the header of system hooks, and can be tested',
    async () => {
      const server = await start()
      const receiver = await startReceiver()
      const { body: hook } = await server.admin.post('/hooks', { url: receiver.url, vulnerability_events: true })
      const project = await server.project('acme/site')
      await server.report(project, [entry({ name: 'Flaw' })])
      await server.runJobs()
      const own = receiver.received.filter(({ body }) => body.object_kind === 'vulnerability')
      expect(own).toMatchObject([
        { headers: { 'x-gitlab-event': 'System Hook' }, body: { object_attributes: { title: 'Flaw' } } },
      ])
      const tested = await server.admin.post(`/hooks/${hook.id}`)
      expect(tested).toMatchObject({ status: 201, body: { event_name: 'project_create', project_id: 1 } })
      expect(receiver.received.at(-1)?.body).toEqual(tested.body)
      const { body: log } = await server.admin.get(`/hooks/${hook.id}/events`)
      expect(log[0]).toMatchObject({ trigger: 'system_hooks', response_status: '200' })
      expect((await server.admin.post(`/hooks/${hook.id}/events/${log[0].id}/resend`)).body).toEqual({
        response_status: 200,
      })
      await server.admin.put(`/hooks/${hook.id}`, { format: 'slack' })
      await server.admin.post(`/hooks/${hook.id}`)
      expect(receiver.received.at(-1)?.body).toEqual({ text: 'This is a test of a webhook' })
    },
  )
})

describe('filters of a webhook', () => {
  test.runIf(onSqlite)('leave out other projects', async () => {
    const server = await start()
    const receiver = await startReceiver()
    const [one, other] = [await server.project('acme/one'), await server.project('acme/other')]
    await server.admin.post('/hooks', {
      url: receiver.url,
      vulnerability_events: true,
      member_events: false,
      project_ids: [one.id],
    })
    for (const project of [one, other]) await server.report(project, [entry({ name: 'Flaw' })])
    await server.runJobs()
    expect(receiver.received.map(({ body }) => body.object_attributes.project_id)).toEqual([one.id])
  })

  test.runIf(onSqlite)('leave out other states', async () => {
    const server = await start()
    const receiver = await startReceiver()
    const project = await server.project('acme/one')
    await server.admin.post(`/projects/${project.id}/hooks`, {
      url: receiver.url,
      vulnerability_events: true,
      states: ['dismissed', 'resolved'],
    })
    const { id } = await server.vulnerability(project)
    for (const action of ['confirm', 'dismiss', 'revert', 'resolve']) {
      await server.admin.post(`/vulnerabilities/${id}/${action}`)
    }
    await server.runJobs()
    expect(receiver.received.map(({ body }) => body.object_attributes.state)).toEqual(['dismissed', 'resolved'])
  })

  test('leave out vulnerabilities of other refs', async () => {
    const server = await start()
    const receiver = await startReceiver()
    const project = await server.project('acme/one')
    const flaw = (name: string) => entry({ name, rule: name })
    await server.admin.post(`/projects/${project.id}/hooks`, {
      url: receiver.url,
      vulnerability_events: true,
      refs: ['release/*'],
    })
    await server.report(project, [flaw('a')], { promote: 'true' })
    await server.report(project, [flaw('a'), flaw('b')], { ref: 'release/1', promote: 'true' })
    await server.runJobs()
    const titles = () => receiver.received.map(({ body }) => body.object_attributes.title)
    expect(titles()).toEqual(['b'])
    const { body: found } = await server.admin.get(`/projects/${project.id}/vulnerabilities?search=a`)
    await server.admin.post(`/vulnerabilities/${found[0].id}/confirm`)
    await server.runJobs()
    expect(titles()).toEqual(['b', 'a'])
  })

  test.runIf(onSqlite)('are limited in number and length', async () => {
    const server = await start()
    const many = Array.from({ length: 101 }, (_, index) => index + 1)
    expect(await server.admin.post('/hooks', { url, project_ids: many })).toMatchObject({
      status: 400,
      body: { message: { project_ids: ['must be at most 100 IDs'] } },
    })
    expect((await server.admin.post('/hooks', { url, refs: ['x'.repeat(256)] })).status).toBe(400)
    expect((await server.admin.post('/hooks', { url, states: ['open'] })).status).toBe(400)
  })
})
