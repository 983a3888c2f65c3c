import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { entry } from '../../testing/reports/reports.ts'
import { startServer } from '../../testing/server.ts'
import { startReceiver } from '../../testing/stand-ins/receiver.ts'

async function world(hook: object) {
  const server = await startServer({ settings: { webhooksReachPrivate: true, externalUrl: 'https://alcove.test' } })
  const project = await server.project('acme/site')
  const receiver = await startReceiver()
  const hooks = `/projects/${project.id}/hooks`
  const added = await server.admin.post(hooks, { url: receiver.url, vulnerability_events: true, ...hook })
  expect(added.status, added.text).toBe(201)
  return { server, project, receiver, hook: added.body, path: `${hooks}/${added.body.id}` }
}

const flaws = (...severities: string[]) =>
  severities.map((severity, line) => entry({ name: `${severity} flaw`, line: line + 1, rule: severity, severity }))

test('a webhook for a chat receives one message for all new vulnerabilities of a report', async () => {
  const { server, project, receiver, path } = await world({ format: 'slack' })
  await server.report(project, flaws('High', 'Low', 'Critical'))
  await server.runJobs()
  expect(receiver.received.map(({ body }) => body.text.split('\n')[0])).toEqual([
    '3 vulnerabilities in acme/site are new or changed',
  ])
  const [delivery] = (await server.admin.get(`${path}/events`)).body
  expect(delivery).toMatchObject({ trigger: 'vulnerability_hooks', response_status: '200' })
  expect(delivery.request_data).toEqual(receiver.received[0]?.body)
  await server.admin.post(`${path}/test/vulnerability_events`)
  expect(receiver.received[1]?.body.text).toMatch(/^1 vulnerability in acme\/site is new or changed\n• </)
})

test.each(['gitlab', 'json'])(
  'min_severity leaves out less severe vulnerabilities in the format %s',
  async (format) => {
    const { server, project, receiver } = await world({ format, min_severity: 'high' })
    await server.report(project, flaws('Medium', 'High', 'Info', 'Critical'))
    await server.runJobs()
    const titles = receiver.received.flatMap(({ body }) =>
      format === 'json' ? body.items.map(({ title }: { title: string }) => title) : body.object_attributes.title,
    )
    expect(titles.sort()).toEqual(['Critical flaw', 'High flaw'])
    await server.report(project, flaws('Low', 'Medium'), { category: 'other' })
    await server.runJobs()
    expect(receiver.received).toHaveLength(format === 'json' ? 1 : 2)
  },
)

test('signing_token signs every delivery, is never returned, and is removed with the URL', async () => {
  const { server, project, receiver, hook, path } = await world({ signing_token: 'our secret' })
  expect(hook).toMatchObject({
    signing_token_present: true,
    token_present: false,
    format: 'gitlab',
    min_severity: null,
  })
  expect(JSON.stringify(hook)).not.toContain('our secret')
  await server.report(project, flaws('High'))
  await server.runJobs()
  const [{ headers, text } = { headers: {} as Record<string, string>, text: '' }] = receiver.received
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
  expect(headers['webhook-id']).toBe(headers['idempotency-key'])
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', 'our secret').update(signed).digest('base64')}`)
  const moved = await server.admin.put(path, { url: 'https://other.example/hook' })
  expect(moved.body).toMatchObject({ signing_token_present: false })
})

test('the format and severity of a webhook can be changed, and unknown values are rejected', async () => {
  const { server, path } = await world({})
  const changed = await server.admin.put(path, { format: 'teams', min_severity: 'critical' })
  expect(changed.body).toMatchObject({ format: 'teams', min_severity: 'critical' })
  expect((await server.admin.put(path, { min_severity: null })).body).toMatchObject({ min_severity: null })
  for (const body of [{ format: 'irc' }, { min_severity: 'huge' }]) {
    expect((await server.admin.put(path, body)).status).toBe(400)
  }
  expect((await server.admin.get(path)).body).toMatchObject({ format: 'teams', min_severity: null })
})
