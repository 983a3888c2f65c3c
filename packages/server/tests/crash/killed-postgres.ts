import { randomUUID } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formWithFile } from '../../src/testing/client.ts'
import { createTestDatabase, type PostgresServer, startPostgres } from '../../src/testing/databases/postgres.ts'
import { startProcess } from '../process.ts'
import { freePort } from '../proxies/proxies.ts'
import { openApi } from './api.ts'

const token = 'token-of-the-killed-postgres'
/** Longer than the minute after which a request with an unknown outcome may be repeated. */
const longestWaitMs = 90_000

interface Load {
  acknowledged: string[]
  /** Number of responses by status. */
  statuses: Map<number, number>
  stop(): Promise<void>
}

/**
 * Kills and restarts PostgreSQL several times under load from one server process. Throws when a response is other than a
 * success, an outage or a key in use, when the server does not recover, and when an upload that was
 * repeated until it was acknowledged does not exist exactly once.
 */
export async function killPostgres(folder: string, kills: number): Promise<Record<string, number>> {
  const data = join(folder, 'postgres')
  const port = await freePort()
  const settings = { listen_addresses: '127.0.0.1', port: String(port), fsync: 'off' }
  const startDatabase = () => startAgain(() => startPostgres({ data, settings }))
  let postgres = await startDatabase()
  const database = await createTestDatabase({ url: `postgres://postgres@127.0.0.1:${port}/postgres` })
  await mkdir(join(folder, 'data'))
  const env = { ALCOVE_DATABASE_URL: database.url, ALCOVE_DATA: join(folder, 'data'), ALCOVE_BOOTSTRAP_TOKEN: token }
  const server = await startProcess({ env: { ...env, ALCOVE_LOG_LEVEL: 'error' } })
  const api = openApi(server.url, token)
  const { id } = await api.send('POST', '/projects', { name: 'outages' })
  const load = startLoad(`${server.url}/api/v4/projects/${id}/uploads`)

  const ready = () => fetch(`${server.url}/-/ready`).then(({ status }) => status)
  for (let kill = 0; kill < kills; kill++) {
    await sleep(1_000)
    process.kill(Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0]), 'SIGKILL')
    await postgres.stop()
    await until('the server is not ready', async () => (await ready()) === 503)
    postgres = await startDatabase()
    await until('the server is ready again', async () => (await ready()) === 200)
  }
  await load.stop()
  const names = (await api.list(`/projects/${id}/uploads`)).map(({ filename }) => String(filename))
  if (names.toSorted().join() !== load.acknowledged.toSorted().join()) {
    throw new Error(`${load.acknowledged.length} uploads were acknowledged, and there are ${names.length}`)
  }
  const { stdout } = await server.stop()
  await postgres.stop()
  const wrong = [...load.statuses.keys()].filter((status) => ![201, 409, 503].includes(status))
  if (wrong.length > 0) throw new Error(`responses with ${wrong.join(', ')}\n${stdout}`)
  const count = (status: number) => load.statuses.get(status) ?? 0
  return { kills, uploads: names.length, created: count(201), unavailable: count(503), keyInUse: count(409) }
}

/** Waits until the old backends have ended. */
async function startAgain(start: () => Promise<PostgresServer>): Promise<PostgresServer> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await start()
    } catch (error) {
      if (attempt === 40) throw error
      await sleep(250)
    }
  }
}

/** Starts clients that upload files; each repeats a request with its key until it is acknowledged. */
function startLoad(address: string): Load {
  const load = { acknowledged: [] as string[], statuses: new Map<number, number>() }
  let isStopped = false
  const upload = async (name: string) => {
    const headers = { 'private-token': token, 'idempotency-key': randomUUID() }
    await until(`${name} is acknowledged`, async () => {
      const reply = await fetch(address, { method: 'POST', headers, body: formWithFile('file', name, name) })
      const text = await reply.text()
      load.statuses.set(reply.status, (load.statuses.get(reply.status) ?? 0) + 1)
      return reply.status === 201 || text.includes('made its change')
    })
    load.acknowledged.push(name)
  }
  const running = Array.from({ length: 6 }, async (_, client) => {
    for (let turn = 0; !isStopped; turn++) await upload(`${client}-${turn}.txt`)
  })
  const ended = Promise.all(running)
  ended.catch(() => {}) // `stop` throws it
  return {
    ...load,
    async stop() {
      isStopped = true
      await ended
    },
  }
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + longestWaitMs
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`not within ${longestWaitMs / 1000} s: ${what}`)
    await sleep(100)
  }
}
