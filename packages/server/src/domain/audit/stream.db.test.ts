import { appendFile, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sql, { type Sql } from 'sql-template-tag'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readSettings, type Settings } from '../../platform/settings/settings.ts'
import { freshDatabase, onSqlite, testEngine } from '../../testing/databases/database.ts'
import { claimAndDie } from '../../testing/jobs.ts'
import { startServer, type TestOptions, type TestServer } from '../../testing/server.ts'
import { type Receiver, startReceiver } from '../../testing/stand-ins/receiver.ts'
import { startSyslog } from '../../testing/stand-ins/syslog.ts'
import { runDueJobs, runJobs } from '../jobs/run-jobs.ts'
import { type AuditEvent, instanceEntity } from './audit-event.ts'
import { linkHash } from './chain.ts'
import { recordAuditEvent } from './record.ts'
import { expireAuditEvents } from './remove-old.ts'
import { sealAuditEvents, startSealing } from './seal.ts'
import { measureStreams, queueStreams, streamJob } from './stream.ts'

const start = '2026-05-01T10:00:00.000Z'
const dayMs = 24 * 60 * 60 * 1000

describe('a stream of audit events', () => {
  test('begins with the oldest event and continues with later ones, in the order of the chain', async () => {
    const path = await filePath()
    const server = await serverWith(`file://${path}`)
    await record(server, 'first', 'second')
    await stream(server)
    await record(server, 'third')
    await stream(server)

    const lines = await linesOf(path)
    expect(lines.map(messageOf)).toEqual(['first', 'second', 'third'])
    expect(lines[0]).toEqual({
      position: 1,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      id: expect.any(Number),
      event_name: 'user_created',
      author_id: null,
      entity_type: 'Gitlab::Audit::InstanceScope',
      entity_id: 1,
      created_at: start,
      details: expect.objectContaining({ custom_message: 'first' }),
    })
  })

  test.runIf(onSqlite)(
    'continues in a new file when the file was renamed, and after a line that was cut off',
    async () => {
      const path = await filePath()
      const server = await serverWith(`file://${path}`)
      await record(server, 'first')
      await stream(server)
      await rename(path, `${path}.1`)
      await record(server, 'second')
      await stream(server)
      await appendFile(path, '{"position":3,"ha')
      await record(server, 'third')
      await stream(server)

      expect((await linesOf(`${path}.1`)).map(messageOf)).toEqual(['first'])
      const [second = '', cut, third = '', ...others] = (await readFile(path, 'utf8')).split('\n')
      expect([cut, others]).toEqual(['{"position":3,"ha', ['']])
      expect([second, third].map((line) => messageOf(JSON.parse(line)))).toEqual(['second', 'third'])
    },
  )

  test.runIf(onSqlite)('contains what is needed to verify the hash chain', async () => {
    const path = await filePath()
    const server = await serverWith(`file://${path}`)
    await record(server, 'first', 'Grüße \u2028 "second"', 'third')
    await stream(server)

    let hash = ''
    for (const line of await linesOf(path)) {
      hash = linkHash(hash, eventOf(line))
      expect(line.hash).toBe(hash)
    }
  })

  test.runIf(onSqlite)('sends many events in several requests of limited size', async () => {
    const receiver = await startReceiver()
    const server = await serverWith(receiver.url)
    const messages = Array.from({ length: 620 }, (_, number) => `event ${number}`)
    await record(server, 'x'.repeat(400 * 1024), 'y'.repeat(400 * 1024), ...messages)
    await stream(server)
    expect(receiver.received.map(({ body }) => body.length)).toEqual([1, expect.any(Number), expect.any(Number)])
    expect(positionsIn(receiver)).toEqual(Array.from({ length: 622 }, (_, index) => index + 1))
  })

  test.runIf(onSqlite)('sends an event that is larger than the limit by itself', async () => {
    const receiver = await startReceiver()
    const server = await serverWith(receiver.url)
    await record(server, 'x'.repeat(600 * 1024), 'small')
    await stream(server)
    expect(receiver.received.map(({ body }) => body.length)).toEqual([1, 1])
  })

  test.runIf(onSqlite)('posts lines of JSON with the configured header', async () => {
    const receiver = await startReceiver()
    const server = await serverWith(receiver.url, { header: 'Authorization: Splunk s3cret' })
    await record(server, 'first')
    await stream(server)
    expect(receiver.received).toMatchObject([
      { path: '/hook', headers: { 'content-type': 'application/x-ndjson', authorization: 'Splunk s3cret' } },
    ])
    expect(receiver.received[0]?.text.endsWith('}\n')).toBe(true)
  })

  test.runIf(onSqlite)('sends syslog messages in ASCII', async () => {
    const syslog = await startSyslog()
    const server = await serverWith(`syslog+tcp://127.0.0.1:${syslog.port}`, {
      settings: { externalUrl: 'https://alcove.example.com/base' },
    })
    await record(server, 'Grüße 🎉\n')
    await stream(server)

    const [message = ''] = syslog.received
    const header = `<109>1 ${start} alcove.example.com alcove - audit - `
    expect(message.startsWith(header)).toBe(true)
    expect(message).toMatch(/^[\x20-\x7e]+$/)
    expect(messageOf(JSON.parse(message.slice(header.length)))).toBe('Grüße 🎉\n')
  })

  test.runIf(onSqlite)(
    'ends for a destination that is removed from the settings, and continues when it returns',
    async () => {
      const receiver = await startReceiver()
      const server = await serverWith(receiver.url)
      await record(server, 'first')
      await stream(server)
      await record(server, 'second')
      await sealAuditEvents(server.deps)
      await queueStreams(server.deps)
      const removed = { ...server.deps, settings: { ...server.deps.settings, auditStreams: [] } }
      expect(await runDueJobs(removed, [streamJob])).toBe(1)
      expect(positionsIn(receiver)).toEqual([1])
      await stream(server)
      expect(positionsIn(receiver)).toEqual([1, 2])
    },
  )

  test.runIf(onSqlite)('runs by itself while a server runs', async () => {
    const receiver = await startReceiver()
    const { deps } = await startServer({ settings: streamTo(receiver.url) })
    const [sealing, queue] = [startSealing(deps), runJobs(deps, [streamJob])]
    await recordAuditEvent(deps, 'user_created', { entity: instanceEntity, message: 'first' })
    await expect.poll(() => positionsIn(receiver)).toEqual([1])
    await Promise.all([sealing.stop(), queue.stop()])
  })
})

describe('a destination that does not accept events', () => {
  test.each<[string, Receiver['answer'], string]>([
    ['responds with 500', (response) => response.writeHead(500).end(), 'the receiver responded with the status 500'],
    [
      'redirects',
      (response) => response.writeHead(307, { Location: 'http://127.0.0.1:1/s3cret' }).end(),
      'the receiver responded with the status 307',
    ],
    ['cuts the connection', (response) => response.destroy(), 'socket hang up (ECONNRESET)'],
  ])(
    'that %s receives them again after a pause, in order, and others do not wait for it',
    async (_, answer, reason) => {
      const lines: Record<string, unknown>[] = []
      const receiver = await startReceiver()
      const clock = { now: start }
      const path = await filePath()
      const server = await serverWith(`${receiver.url}?token=s3cret file://${path}`, {
        clock,
        header: 'Authorization: s3cret',
        log: (line) => lines.push(line),
      })
      const standard = receiver.answer
      receiver.answer = answer
      await record(server, 'first')
      await stream(server)
      await record(server, 'second')
      await stream(server)
      // The second event does not end the pause.
      expect(positionsIn(receiver)).toEqual([1])
      expect((await linesOf(path)).map(messageOf)).toEqual(['first', 'second'])
      const destination = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+#[0-9a-f]{8}$/)
      expect(await measureStreams(server.deps)).toMatchObject([{ destination, lag: 2, failures: 1 }, { lag: 0 }])
      const warnings = lines.filter(({ msg }) => msg === 'audit events could not be streamed')
      expect(warnings).toMatchObject([{ destination, reason, failures: 1, lag: 1 }])

      receiver.answer = standard
      clock.now = later(10_000)
      await stream(server)
      expect(positionsIn(receiver)).toEqual([1, 1, 2])
      expect(await measureStreams(server.deps)).toMatchObject([{ lag: 0, failures: 0 }, { lag: 0 }])
      expect(lines.map(({ msg }) => msg)).toContain('audit events are streamed again')
      expect(JSON.stringify(lines)).not.toContain('s3cret')
    },
  )

  test.runIf(onSqlite)('is tried again at least every two minutes, for as long as it fails', async () => {
    const receiver = await startReceiver()
    const clock = { now: start }
    const server = await serverWith(receiver.url, { clock })
    receiver.answer = (response) => response.writeHead(503).end()
    await record(server, 'first')
    await stream(server)
    for (let attempt = 2; attempt <= 150; attempt++) {
      clock.now = later(2 * 60_000 * (attempt - 1))
      await runDueJobs(server.deps, [streamJob])
      expect(receiver.received.length).toBe(attempt)
    }
  })

  test.runIf(onSqlite)('is shown in the metrics', async () => {
    const receiver = await startReceiver()
    const server = await serverWith(receiver.url)
    receiver.answer = (response) => response.writeHead(503).end()
    await record(server, 'first', 'second')
    await stream(server)
    const { text } = await server.anonymous.get('//-/metrics')
    const label = `{destination="${server.deps.settings.auditStreams[0]?.name}"}`
    expect(text).toContain(`alcove_audit_stream_lag_events${label} 2\n`)
    expect(text).toContain(`alcove_audit_stream_failures${label} 1\n`)
  })
})

describe('after the end of a process, events are sent again', () => {
  test.runIf(onSqlite)('when it ended before it sent them', async () => {
    const receiver = await startReceiver()
    const clock = { now: start }
    const server = await serverWith(receiver.url, { clock })
    await record(server, 'first')
    await sealAuditEvents(server.deps)
    await queueStreams(server.deps)
    expect(await claimAndDie(server.deps, [streamJob])).toHaveLength(1)
    clock.now = later(60_000)
    await stream(server)
    expect(positionsIn(receiver)).toEqual([1])
  })

  test.runIf(onSqlite)('when it ended after they were accepted and before that was stored', async () => {
    const receiver = await startReceiver()
    const clock = { now: start }
    let isFailing = true
    const observe = (query: Sql) => {
      if (isFailing && query.sql.includes('update audit_streams set position')) throw new Error('the process ended')
    }
    const server = await serverWith(receiver.url, { clock, observe })
    await record(server, 'first')
    await stream(server)
    isFailing = false
    clock.now = later(60_000)
    await record(server, 'second')
    await stream(server)
    expect(positionsIn(receiver)).toEqual([1, 1, 2])
  })

  test.runIf(onSqlite)('when it stopped before a slow destination responded', async () => {
    const receiver = await startReceiver()
    const server = await serverWith(receiver.url)
    const standard = receiver.answer
    receiver.answer = () => {}
    await record(server, 'first')
    await sealAuditEvents(server.deps)
    await queueStreams(server.deps)
    const queue = runJobs(server.deps, [streamJob])
    await expect.poll(() => receiver.received.length).toBe(1)
    await queue.stop()
    expect(await measureStreams(server.deps)).toMatchObject([{ lag: 1, failures: 0 }])
    receiver.answer = standard
    await stream(server)
    expect(positionsIn(receiver)).toEqual([1, 1])
  })

  test('when the audit log is an older one, from a backup', async () => {
    const receiver = await startReceiver()
    const server = await serverWith(receiver.url)
    await record(server, 'first')
    await stream(server)
    await server.deps.db.run(sql`update audit_streams set position = 40`)
    await record(server, 'second')
    await stream(server)
    expect(positionsIn(receiver)).toEqual([1, 1, 2])
  })
})

test('several processes send each destination every event in order', async () => {
  const receiver = await startReceiver()
  const database = await freshDatabase()
  const server = await startServer({ database, settings: streamTo(receiver.url) })
  const second = testEngine === 'postgres' ? { ...server.deps, db: await database.openSecond() } : server.deps
  const processes = [server.deps, second].flatMap((deps) => [startSealing(deps), runJobs(deps, [streamJob])])
  for (let number = 0; number < 60; number++) {
    await recordAuditEvent(number % 2 ? server.deps : second, 'user_created', {
      entity: instanceEntity,
      message: `event ${number}`,
    })
    if (number % 10 === 0) await sealAuditEvents(number % 20 ? server.deps : second)
    if (number % 10 === 0) await queueStreams(number % 20 ? second : server.deps)
  }
  const expected = Array.from({ length: 60 }, (_, index) => index + 1)
  await expect.poll(() => positionsIn(receiver)).toEqual(expected)
  await Promise.all(processes.map((process) => process.stop()))
  if (second !== server.deps) await second.db.close()
})

describe('retention', () => {
  test.runIf(onSqlite)('keeps events that a destination has not received', async () => {
    const { server, clock, lines } = await serverWithUndelivered()
    clock.now = later(12 * dayMs)
    await expireAuditEvents(server.deps)
    expect(await countEvents(server)).toBe(2)
    expect(lines.map(({ msg }) => msg)).toContain(
      'audit events are kept beyond their retention until they were streamed',
    )
    const preview = await server.admin.get('/admin/retention')
    expect(preview.body).toContainEqual(expect.objectContaining({ kind: 'audit_events', count: 0 }))
  })

  test('removes them when they were received', async () => {
    const { server, clock, receiver } = await serverWithUndelivered()
    clock.now = later(12 * dayMs)
    receiver.answer = (response) => response.end()
    await stream(server)
    await expireAuditEvents(server.deps)
    const [first, ...others] = await server.deps.db.all<{ name: string }>(sql`select name from audit_events`)
    expect([first?.name, others]).toEqual(['audit_events_removed', []])
  })

  test('removes them 30 days later anyway, logs that, and continues with the next event', async () => {
    const { server, clock, receiver, lines } = await serverWithUndelivered()
    clock.now = later(41 * dayMs)
    await expireAuditEvents(server.deps)
    expect(await countEvents(server)).toBe(1)
    receiver.received.length = 0
    receiver.answer = (response) => response.end()
    await stream(server)
    expect(positionsIn(receiver)).toEqual([3])
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'audit events were removed before they were streamed', from: 1, to: 2 }),
    )
  })

  async function serverWithUndelivered() {
    const clock = { now: start }
    const lines: Record<string, unknown>[] = []
    const receiver = await startReceiver()
    receiver.answer = (response) => response.writeHead(503).end()
    const standard = readSettings({}).retentionDays
    const server = await serverWith(receiver.url, {
      clock,
      log: (line) => lines.push(line),
      settings: { retentionDays: { ...standard, auditEvents: 10 } },
    })
    await record(server, 'first', 'second')
    await stream(server)
    return { server, clock, receiver, lines }
  }

  const countEvents = async ({ deps }: TestServer) => (await deps.db.all(sql`select 1 as one from audit_events`)).length
})

type Line = Record<string, unknown> & { details: Record<string, unknown>; hash: string }

function streamTo(destinations: string, header?: string): Pick<Settings, 'auditStreams'> {
  const { auditStreams } = readSettings({ ALCOVE_AUDIT_STREAM: destinations, ALCOVE_AUDIT_STREAM_HEADER: header })
  return { auditStreams }
}

function serverWith(destinations: string, { header, settings, ...options }: TestOptions & { header?: string } = {}) {
  return startServer({
    clock: { now: start },
    ...options,
    settings: { ...settings, ...streamTo(destinations, header) },
  })
}

async function record({ deps }: TestServer, ...messages: string[]): Promise<void> {
  for (const message of messages) await recordAuditEvent(deps, 'user_created', { entity: instanceEntity, message })
}

/** Seals the events and sends them. */
async function stream({ deps }: TestServer): Promise<void> {
  await sealAuditEvents(deps)
  await queueStreams(deps)
  await runDueJobs(deps, [streamJob])
}

const later = (ms: number): string => new Date(Date.parse(start) + ms).toISOString()

async function filePath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-stream-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, 'audit.jsonl')
}

async function linesOf(path: string): Promise<Line[]> {
  const lines = (await readFile(path, 'utf8')).split('\n')
  expect(lines.pop()).toBe('')
  return lines.map((line) => JSON.parse(line))
}

const positionsIn = ({ received }: Receiver): number[] =>
  received.flatMap(({ body }) => (body as { position: number }[]).map(({ position }) => position))

const messageOf = ({ details }: Line) => details['custom_message']

/** Returns the event as a receiver reads it from a line. */
const eventOf = (line: Line) =>
  ({
    id: line['id'],
    name: line['event_name'],
    authorId: line['author_id'],
    entityType: line['entity_type'],
    entityId: line['entity_id'],
    details: line['details'],
    createdAt: line['created_at'],
  }) as AuditEvent // of the line's fields, whose values the hash verifies
