import { createHmac } from 'node:crypto'
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { pollTrackers } from '../../../domain/trackers/sync-issues.ts'
import { type TrackerKind, trackerKinds } from '../../../domain/trackers/tracker.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { passMinutes, startWithTracker } from '../../../testing/trackers.ts'

/** Events of trackers about the issue with this number, as they are documented. */
const eventOf: Record<TrackerKind, (number: number) => object> = {
  gitlab: (iid) => ({ object_kind: 'issue', object_attributes: { id: 1000 + iid, iid, state: 'closed' } }),
  github: (number) => ({ action: 'closed', issue: { number, state: 'closed' } }),
  gitea: (number) => ({ action: 'closed', number, issue: { number, state: 'closed' } }),
  jira: (number) => ({ webhookEvent: 'jira:issue_updated', issue: { key: `SHOP-${number}` } }),
}

const signatureOf = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex')

/** Headers by which a tracker authenticates an event. */
const headersOf: Record<TrackerKind, (secret: string, body: string) => Record<string, string>> = {
  gitlab: (secret) => ({ 'x-gitlab-token': secret, 'x-gitlab-event': 'Issue Hook' }),
  github: (secret, body) => ({
    'x-hub-signature-256': `sha256=${signatureOf(secret, body)}`,
    'x-github-event': 'issues',
  }),
  gitea: (secret, body) => ({ 'x-gitea-signature': signatureOf(secret, body), 'x-gitea-event': 'issues' }),
  jira: (secret, body) => ({ 'x-hub-signature': `sha256=${signatureOf(secret, body)}` }),
}

/** Starts a server with a tracker that has the issue of a vulnerability and a secret for its events. */
async function startWithEvents(kind: TrackerKind) {
  const started = await startWithTracker(kind)
  const { server, project, path } = started
  const { id } = await server.vulnerability(project)
  await server.admin.post(`/vulnerabilities/${id}/issue`)
  await server.runJobs()
  const generated = await server.admin.post(`${path}/events_secret`)
  expect(generated.status).toBe(201)
  const { events_url: url, secret } = generated.body
  const send = async (body: string, headers: Record<string, string>) => {
    const reply = await server.app.inject({
      method: 'POST',
      url: new URL(url).pathname,
      headers: { 'content-type': 'application/json', ...headers },
      payload: body,
    })
    return { status: reply.statusCode, body: reply.body }
  }
  const notify = (number: number, sentSecret: string = secret) => {
    const body = JSON.stringify(eventOf[kind](number))
    return send(body, headersOf[kind](sentSecret, body))
  }
  const stateOfIssue = async () => (await server.admin.get(`/vulnerabilities/${id}/issue_links`)).body[0].state
  return { ...started, id, url, secret, send, notify, stateOfIssue }
}

describe.runIf(onSqlite).each(trackerKinds)('an event of %s', (kind) => {
  test('updates the state of its issue at once, from the tracker', async () => {
    const { server, id, tracker, notify, stateOfIssue, path, clock } = await startWithEvents(kind)
    clock.now = '2026-05-01T10:20:00.000Z'
    tracker.change(1, { isOpen: false })
    expect(await notify(1)).toEqual({ status: 204, body: '' })
    expect(await server.runJobs()).toBe(1)
    expect(await stateOfIssue()).toBe('closed')
    expect((await server.admin.get(`/vulnerabilities/${id}/issue`)).body.synchronization).toEqual({
      at: clock.now,
      error: null,
    })
    expect((await server.admin.get(path)).body.own).toMatchObject({ has_events_secret: true, event_at: clock.now })

    // The event claims that the issue is closed, but the tracker's API decides.
    tracker.change(1, { isOpen: true })
    await notify(1)
    await server.runJobs()
    expect(await stateOfIssue()).toBe('opened')
  })

  test('is refused without the secret, and with a wrong or a former one', async () => {
    const { server, tracker, path, secret, send, notify } = await startWithEvents(kind)
    const before = tracker.requests.length
    const body = JSON.stringify(eventOf[kind](1))
    expect((await send(body, {})).status).toBe(401)
    expect((await notify(1, `${secret}x`)).status).toBe(401)
    const rotated = await server.admin.post(`${path}/events_secret`)
    expect(rotated.body.secret).not.toBe(secret)
    expect((await notify(1)).status).toBe(401)
    expect((await notify(1, rotated.body.secret)).status).toBe(204)
    expect((await server.admin.delete(`${path}/events_secret`)).status).toBe(204)
    expect((await notify(1, rotated.body.secret)).status).toBe(401)
    expect((await notify(1, '')).status).toBe(401)
    await server.runJobs()
    expect(tracker.requests.length - before).toBe(1)
  })
})

test.runIf(onSqlite).each(['github', 'gitea', 'jira'] as const)(
  'the signature of %s covers every byte of the body',
  async (kind) => {
    const { secret, send } = await startWithEvents(kind)
    const body = JSON.stringify(eventOf[kind](1))
    const headers = headersOf[kind](secret, body)
    expect((await send(body, headers)).status).toBe(204)
    expect((await send(`${body} `, headers)).status).toBe(401)
    expect((await send('', headers)).status).toBe(401)
  },
)

describe('an event', () => {
  test.runIf(onSqlite)('about an issue that no vulnerability has created contacts no tracker', async () => {
    const { server, tracker, notify, secret, send } = await startWithEvents('gitlab')
    const before = tracker.requests.length
    expect((await notify(2)).status).toBe(204)
    for (const body of ['', 'no JSON', '[]', '{"object_attributes":{"iid":{}}}', '{"object_attributes":null}']) {
      expect((await send(body, { 'x-gitlab-token': secret })).status).toBe(204)
    }
    expect(await server.runJobs()).toBe(0)
    expect(tracker.requests.length).toBe(before)
  })

  test.runIf(onSqlite)('that is repeated before it is handled causes one request', async () => {
    const { server, tracker, notify } = await startWithEvents('github')
    const before = tracker.requests.length
    for (let count = 0; count < 5; count++) await notify(1)
    await server.runJobs()
    expect(tracker.requests.length - before).toBe(1)
  })

  test('waits as long as the tracker asks', async () => {
    const { server, tracker, notify, stateOfIssue, clock } = await startWithEvents('gitlab')
    tracker.change(1, { isOpen: false })
    tracker.status = 429
    await notify(1)
    await server.runJobs()
    tracker.status = undefined
    expect(await stateOfIssue()).toBe('opened')
    await passMinutes(clock, [server], 2)
    expect(await stateOfIssue()).toBe('closed')
  })

  test.runIf(onSqlite)('whose issue cannot be read is left to the hourly polling', async () => {
    const { server, tracker, notify, stateOfIssue } = await startWithEvents('gitlab')
    tracker.change(1, { isOpen: false })
    tracker.status = 500
    await notify(1)
    await server.runJobs()
    expect(await server.runJobs()).toBe(0)
    tracker.status = undefined
    expect(await stateOfIssue()).toBe('opened')
    await pollTrackers(server.deps)
    await server.runJobs()
    expect(await stateOfIssue()).toBe('closed')
  })

  test.runIf(onSqlite)('of an unknown tracker is refused like one with a wrong secret', async () => {
    const { server, send, url } = await startWithEvents('gitlab')
    const wrong = await send('{}', { 'x-gitlab-token': 'wrong' })
    const unknown = await server.app.inject({
      method: 'POST',
      url: new URL(url).pathname.replace(/\d+(?=\/events)/, '999'),
    })
    expect({ status: unknown.statusCode, body: unknown.body }).toEqual(wrong)
  })

  test.runIf(onSqlite)('of Jira can carry the secret in a header', async () => {
    const { server, tracker, secret, send, stateOfIssue } = await startWithEvents('jira')
    tracker.change(1, { isOpen: false })
    expect((await send(JSON.stringify(eventOf.jira(1)), { 'x-alcove-token': secret })).status).toBe(204)
    await server.runJobs()
    expect(await stateOfIssue()).toBe('closed')
  })

  test.runIf(onSqlite)('may be larger than other anonymous requests, up to 1 MiB', async () => {
    const { secret, send } = await startWithEvents('gitlab')
    const padded = (size: number) => JSON.stringify({ ...eventOf.gitlab(1), text: 'x'.repeat(size) })
    const headers = { 'x-gitlab-token': secret }
    expect((await send(padded(200_000), headers)).status).toBe(204)
    expect((await send(padded(1024 * 1024), headers)).status).toBe(413)
  })
})

test.runIf(onSqlite)('at most 32 large events are read at a time, and small ones are not affected', async () => {
  const { server, url, secret } = await startWithEvents('gitlab')
  const origin = await server.app.listen({ host: '127.0.0.1', port: 0 })
  const address = new URL(new URL(url).pathname, origin)
  const post = (length: number) =>
    request(address, { method: 'POST', headers: { 'x-gitlab-token': secret, 'content-length': length } })
  const statusOf = (length: number) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = post(length).on('error', reject)
      sent.on('response', (response) => resolve(response.resume().statusCode))
      sent.end(' '.repeat(length))
    })
  const unfinished = Array.from({ length: 32 }, () => post(100_000).on('error', () => {}))
  for (const one of unfinished) one.flushHeaders()
  await expect.poll(() => statusOf(100_000)).toBe(429)
  expect(await statusOf(1_000)).toBe(204)
  for (const one of unfinished) one.destroy()
  await expect.poll(() => statusOf(100_000)).toBe(204)
})

test.runIf(onSqlite)(
  'the secret of events is for users who may change the tracker, and is not shown again',
  async () => {
    const { server, project, path, secret } = await startWithEvents('gitlab')
    const developer = await server.as('developer', project)
    expect((await developer.post(`${path}/events_secret`)).status).toBe(403)
    expect((await developer.delete(`${path}/events_secret`)).status).toBe(403)
    expect((await server.admin.get(path)).text).not.toContain(secret)
    await server.admin.delete(path)
    expect((await server.admin.post(`${path}/events_secret`)).status).toBe(404)
  },
)
