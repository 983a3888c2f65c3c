import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startPostgres } from '../../packages/server/src/testing/databases/postgres.ts'
import { command, postgresSettings } from '../data/dataset.ts'
import { sentence, topicName } from '../data/words.ts'
import { type Running, startServer, startTypeScript } from '../processes.ts'
import { type Comparison, compare } from '../requests.ts'
import type { Cell } from '../table.ts'
import { createTopics, ownRequests, post, token, topics } from './peers.ts'

const version = '9.10.0'
const program = fileURLToPath(new URL('parse-server.ts', import.meta.url))
const installMs = 300_000

/**
 * Compares the server on PostgreSQL with Parse Server on the same PostgreSQL, each with its own database. Returns nothing,
 * and prints why, if npm cannot install Parse Server.
 */
export async function measureParse(
  parent: string,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<Record<string, Cell>[] | undefined> {
  const installed = await install()
  if (!installed) return
  const folder = await mkdtemp(join(parent, 'parse-'))
  for (const path of [parent, folder]) await chmod(path, 0o755) // PostgreSQL may run as another user
  const postgres = await startPostgres({ data: join(folder, 'postgres'), settings: postgresSettings })
  const running: Running[] = []
  try {
    for (const name of ['own', 'parse']) await command(postgres.url, `create database ${name}`)
    const own = new URL(postgres.url)
    own.pathname = '/own'
    await mkdir(join(folder, 'data'))
    const server = await startServer({
      ALCOVE_DATA: join(folder, 'data'),
      ALCOVE_DATABASE_URL: own.href,
      ALCOVE_BOOTSTRAP_TOKEN: token,
    })
    running.push(server)
    const socketFolder = new URL(postgres.url).searchParams.get('host') ?? ''
    const args = [installed, socketFolder, 'parse']
    const peer = await startTypeScript(program, args, '/parse/health', { cwd: folder })
    running.push(peer)
    await createTopics(server)
    const { id } = await post(server, '/projects', { name: 'Storage' })
    return await compare(await comparisons(peer, id), server, peer, { seconds, rounds })
  } finally {
    for (const started of running) await started.stop()
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the folder of the package; `undefined` if the registry does not answer. */
async function install(): Promise<string | undefined> {
  const folder = join(tmpdir(), `alcove-bench-parse-server-${version}`)
  if (existsSync(join(folder, 'complete'))) return folder
  const options = ['--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error']
  try {
    await mkdir(folder, { recursive: true })
    await promisify(execFile)('npm', ['install', ...options, `parse-server@${version}`], {
      cwd: folder,
      timeout: installMs,
    })
    await mkdir(join(folder, 'complete'))
    return folder
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n').slice(0, 3).join(' ') : error
    console.log(`\nparse-server@${version} cannot be installed from npm: no comparison with it (${reason})`)
    return undefined
  }
}

/** The same requests in Parse Server's words, by a user with a session. */
async function comparisons({ url }: Running, projectId: number): Promise<Comparison[]> {
  const send = async (path: string, headers: Record<string, string>, body: object) => {
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as { objectId: string; sessionToken: string }
  }
  const anonymous = { 'x-parse-application-id': 'bench', 'content-type': 'application/json' }
  const user = { username: 'bench', password: randomBytes(16).toString('hex') }
  const { sessionToken } = await send('/parse/users', anonymous, user)
  const headers = { ...anonymous, 'x-parse-session-token': sessionToken }
  const ids: string[] = []
  for (let number = 0; number < topics; number++) {
    const name = topicName(number)
    const row = { name, title: name, description: sentence(number, 12), total_projects_count: 0 }
    ids.push((await send('/parse/classes/Topic', headers, row)).objectId)
  }
  const form = { ...headers, 'content-type': 'application/octet-stream' }
  const row = { name: 'new-[<id>]', title: 'New [<id>]', description: sentence(1, 12) }
  const theirs: Comparison['ceiling'][] = [
    // It caches no responses, and rejects unknown parameters.
    { headers, paths: ['/parse/classes/Topic?limit=20&count=1&order=-total_projects_count'] },
    { headers, paths: ids.map((id) => `/parse/classes/Topic/${id}`) },
    { headers, method: 'POST', paths: ['/parse/classes/Topic'], body: Buffer.from(JSON.stringify(row)) },
    { headers: form, method: 'POST', paths: ['/parse/files/file.bin'], body: randomBytes(10 * 1024) },
  ]
  return ownRequests(projectId).map((own, index) => ({ ...own, ceiling: theirs[index] ?? own.server, cpuAim: 1 }))
}
