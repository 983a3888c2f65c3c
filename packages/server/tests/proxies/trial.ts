import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createTestDatabase, startPostgres } from '../../src/testing/databases/postgres.ts'
import { type Api, openApi } from '../crash/api.ts'
import { type ServerProcess, startProcess } from '../process.ts'
import { type Load, startLoad } from './load.ts'
import { multipart } from './multipart.ts'
import { freePort, type RunningProxy, startProxy } from './proxies.ts'

/*
 * Restarts two processes one after the other, several times, while clients read and write through nginx and HAProxy.
 * Exits with 1 when a request failed that the proxy may repeat, or when a write was lost or doubled.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } })
const token = 'token-of-the-rolling-restart'
/** Longer than the 2 s that HAProxy needs to notice; shorter than the default, to save time. */
const drainDelaySeconds = 3
/** Time between two restarts. */
const calmMs = 1_000
/** No round begins after this time, so a slow machine runs fewer. */
const lastRoundMs = 50_000

const folder = await mkdtemp(join(tmpdir(), 'alcove-proxies-'))
const postgres = await startPostgres()
const database = await createTestDatabase(postgres)
const env = {
  ALCOVE_DATABASE_URL: database.url,
  ALCOVE_DATA: folder,
  ALCOVE_BOOTSTRAP_TOKEN: token,
  ALCOVE_DRAIN_DELAY_SECONDS: String(drainDelaySeconds),
  ALCOVE_LOG_LEVEL: 'warn',
}
const ports = [await freePort(), await freePort()]
const start = (port: number) => startProcess({ env: { ...env, ALCOVE_PORT: String(port) } })
const processes: ServerProcess[] = []
const proxies: RunningProxy[] = []
// Stops all processes, also after an error or a timeout. PostgreSQL ends with this process.
process
  .once('SIGTERM', () => process.exit(1))
  .once('exit', () => {
    for (const each of processes) each.signal('SIGKILL')
    for (const each of proxies) each.signal()
  })
// Sequentially, because the first process creates the administrator.
for (const port of ports) processes.push(await start(port))

const api = openApi(processes[0]?.url ?? '', token)
const { id } = await api.send('POST', '/projects', { name: 'rolling' })
for (const name of ['nginx', 'haproxy'] as const) proxies.push(await startProxy(name, ports, folder))
const file = await createFile(id)
const loads = proxies.map((proxy) => startLoad(proxy, token, { id, file }))

let restarts = 0
for (let round = 0; round < Number(values.rounds) && performance.now() < lastRoundMs; round++) {
  for (const [place, port] of ports.entries()) {
    await sleep(calmMs)
    const old = processes[place] as ServerProcess // there is one for each port
    old.signal('SIGTERM')
    const { code, stdout } = await old.ended
    if (code !== 0 || stdout.includes('aborted')) throw new Error(`a process ended with ${code}\n${stdout}`)
    processes[place] = await start(port)
    restarts += 1
  }
}
await sleep(calmMs)
await Promise.all(loads.map((load) => load.stop()))
report(loads)
const wrong = [...loads.flatMap(({ failures }) => failures), ...(await lostOrDoubled(api, loads))]
for (const line of wrong) console.error(line)
if (wrong.length > 0) process.exitCode = 1

await Promise.all([...processes.map((each) => each.kill()), ...proxies.map((each) => each.stop())])
await database.drop()
await postgres.stop()
await rm(folder, { recursive: true })

async function createFile(project: number): Promise<number> {
  const { body, type } = multipart('large.bin', Buffer.alloc(500_000, 'x'))
  const reply = await fetch(`${proxies[0]?.url}/api/v4/projects/${project}/uploads`, {
    method: 'POST',
    headers: { 'private-token': token, 'content-type': type },
    body: new Uint8Array(body),
  })
  if (!reply.ok) throw new Error(`the file was refused: ${reply.status} ${await reply.text()}`)
  return ((await reply.json()) as { id: number }).id
}

function report(loads: readonly Load[]): void {
  const counts = loads.flatMap(({ counts }) => counts)
  console.table(counts.map(({ isRepeatable, ...count }) => ({ ...count, 'may repeat': isRepeatable ? 'yes' : 'no' })))
  const sum = (isRepeatable: boolean, of: 'requests' | 'failed') =>
    counts.filter((count) => count.isRepeatable === isRepeatable).reduce((total, count) => total + count[of], 0)
  console.log(`${restarts} restarts, each drained for ${drainDelaySeconds} s`)
  console.log(`that a proxy may repeat: ${sum(true, 'requests')} requests, ${sum(true, 'failed')} failed`)
  console.log(`that it may not: ${sum(false, 'requests')} requests, ${sum(false, 'failed')} failed`)
}

/** Acknowledged uploads must exist, and no upload may exist twice. */
async function lostOrDoubled(api: Api, loads: readonly Load[]): Promise<string[]> {
  const names = (await api.list(`/projects/${id}/uploads`)).map(({ filename }) => String(filename))
  const found = new Set(names)
  const acknowledged = loads.flatMap((load) => [...load.acknowledged])
  console.log(`${acknowledged.length} acknowledged uploads, ${names.length - 1} found`)
  return [
    ...acknowledged.filter((name) => !found.has(name)).map((name) => `lost: ${name}`),
    ...names.filter((name, place) => names.indexOf(name) !== place).map((name) => `doubled: ${name}`),
  ]
}
