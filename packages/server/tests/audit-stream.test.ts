import { mkdir, readFile, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, startPostgres } from '../src/testing/databases/postgres.ts'
import { type Receiver, startReceiver } from '../src/testing/stand-ins/receiver.ts'
import { runProcess, type ServerProcess, startProcess, temporaryFolder } from './process.ts'

const token = 'token-of-the-audit-streams'
const secret = 's3cret-of-the-receiver'
const patience = { timeout: 60_000 }

let env: Record<string, string>
let file: string
let receiver: Receiver
beforeEach(async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'data'))
  file = join(folder, 'audit.jsonl')
  receiver = await startReceiver()
  env = {
    ALCOVE_DATA: join(folder, 'data'),
    ALCOVE_BOOTSTRAP_TOKEN: token,
    ALCOVE_AUDIT_STREAM: `file://${file} ${receiver.url}?token=${secret}`,
    ALCOVE_AUDIT_STREAM_HEADER: `Authorization: ${secret}`,
  }
})

describe('audit events are streamed at least once and in order', () => {
  test('by a server that is killed twice while it sends them', async () => {
    for (let round = 1; round <= 2; round++) {
      const server = await startProcess({ env })
      const before = receiver.received.length
      // In the second round the receiver stores the events, and the server is killed before it learns that.
      receiver.answer = (response) => void (round === 2 || response.end())
      await createTopics(server, `round-${round}`, 5)
      await expect.poll(() => receiver.received.length, patience).toBeGreaterThan(before)
      await server.kill()
    }
    receiver.answer = (response) => response.end()
    const server = await startProcess({ env })
    await createTopics(server, 'last', 1)
    await expectEverything(await chainEnd(11))
    const { stdout, stderr } = await server.stop()
    expect(stdout + stderr).not.toContain(secret)
  })

  test('by two processes on one database, of which one is killed', async () => {
    const postgres = await startPostgres()
    onTestFinished(() => postgres.stop())
    const { url } = await createTestDatabase(postgres)
    env = { ...env, ALCOVE_DATABASE_URL: url }
    const first = await startProcess({ env })
    const second = await startProcess({ env })
    await Promise.all([createTopics(first, 'first', 20), createTopics(second, 'second', 20)])
    const unanswered: ServerResponse[] = []
    receiver.answer = (response) => void unanswered.push(response)
    await createTopics(first, 'unanswered', 1)
    await expect.poll(() => unanswered.length, patience).toBeGreaterThan(0)
    await first.kill()
    receiver.answer = (response) => response.end()
    // Either process may be the sender; the one that lives would wait for half a minute.
    for (const response of unanswered) response.destroy()
    await createTopics(second, 'later', 5)
    await expectEverything(await chainEnd(46))
  })

  test('by a server that was restored from a backup', async () => {
    const server = await startProcess({ env })
    await createTopics(server, 'before', 3)
    await expectEverything(await chainEnd(3))
    const backups = join(env['ALCOVE_DATA'] ?? '', '../backups')
    expect(await runProcess({ env, command: `backup ${backups}` })).toMatchObject({ code: 0 })
    await createTopics(server, 'after', 3)
    const lost = await chainEnd(6)
    await expectEverything(lost)
    await server.kill()
    await rm(env['ALCOVE_DATA'] ?? '', { recursive: true })
    await mkdir(env['ALCOVE_DATA'] ?? '')
    expect(await runProcess({ env, command: `restore ${backups}` })).toMatchObject({ code: 0 })

    receiver.received.length = 0
    const restored = await startProcess({ env })
    await createTopics(restored, 'restored', 1)
    const end = await chainEnd(4)
    expect(end).toBeLessThan(lost)
    await expect.poll(() => eventsAt(receiver).at(-1), patience).toMatchObject({ position: end })
    expect(eventsAt(receiver).map(({ details }) => details['target_details'])).toContain('restored-0')
  })
})

test.each([
  ['ALCOVE_AUDIT_STREAM', `syslog://logs.example.com:514?token=${secret}`, 'destination 1 is syslog over UDP'],
  ['ALCOVE_AUDIT_STREAM_HEADER', `${secret}\n${secret}`, 'has 2 lines for 1 HTTP destinations'],
])('an invalid %s stops the start without showing the value', async (name, value, reason) => {
  const { code, stdout, stderr } = await runProcess({ env: { ...env, [name]: value } })
  expect([code, stderr]).toEqual([1, expect.stringContaining(reason)])
  expect(stdout + stderr).not.toContain(secret)
})

interface StreamedEvent {
  position: number
  hash: string
  details: Record<string, unknown>
}

async function createTopics(server: ServerProcess, name: string, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const topic = `${name}-${number}`
    const response = await fetch(`${server.url}/api/v4/topics`, {
      method: 'POST',
      headers: { 'PRIVATE-TOKEN': token },
      body: new URLSearchParams({ name: topic, title: topic }),
    })
    expect(response.status).toBe(201)
  }
}

/** Returns the number of events when at least `least` of them and all that exist are sealed, as `audit verify` counts. */
async function chainEnd(least: number): Promise<number> {
  let end = 0
  const isComplete = async () => {
    const before = end
    const { stdout } = await runProcess({ env, command: 'audit verify' })
    end = Number(/ends at position (\d+) /.exec(stdout)?.[1])
    return end >= least && end === before
  }
  await expect.poll(isComplete, { ...patience, interval: 1500 }).toBe(true)
  return end
}

const eventsAt = ({ received }: Receiver): StreamedEvent[] => received.flatMap(({ body }) => body as StreamedEvent[])

async function eventsInFile(): Promise<StreamedEvent[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line))
}

/** Expects that both destinations have received the events up to a position, and none before all earlier ones. */
async function expectEverything(end: number): Promise<void> {
  await expect.poll(() => eventsAt(receiver).at(-1)?.position, patience).toBe(end)
  await expect.poll(async () => (await eventsInFile()).at(-1)?.position, patience).toBe(end)
  for (const events of [eventsAt(receiver), await eventsInFile()]) {
    const hashes = new Map<number, string>()
    for (const { position, hash } of events) {
      expect(position).toBeLessThanOrEqual(hashes.size + 1)
      expect(hashes.get(position) ?? hash).toBe(hash)
      hashes.set(position, hash)
    }
    expect(hashes.size).toBe(end)
  }
}
