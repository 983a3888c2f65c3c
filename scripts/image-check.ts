import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readStages, textsOf } from './dockerfile.ts'

/*
 * Runs the steps of packaging/Dockerfile in a temporary folder, for machines without a container engine
 * (`npm run check -- image`): the RUN steps of the first stage with Node 24, then the entry point of the second one as the
 * image's user, with only the data folder writable, and its health check. Needs the registry; run it as root or as any user.
 */
const folder = mkdtempSync(join(tmpdir(), 'alcove-image-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const [build, image] = readStages(readFileSync('packaging/Dockerfile', 'utf8'))
const data = join(folder, 'data')
const port = String(20_000 + Math.floor(Math.random() * 20_000))

chmodSync(folder, 0o755)
for (const name of ['build', 'node', 'opt']) mkdirSync(join(folder, name))
execFileSync('sh', ['-c', `git archive HEAD | tar -x -C '${folder}/build'`])
const packages = ['--prefix', join(folder, 'node'), '--ignore-scripts', '--no-audit', '--no-fund', '--silent']
execFileSync('npm', ['install', ...packages, `node-linux-${process.arch}@24`])
const nodeFolder = join(folder, 'node/node_modules', `node-linux-${process.arch}`, 'bin')
const env = { ...process.env, PATH: `${nodeFolder}:${process.env['PATH']}`, REVISION: 'image-check' }

for (const step of textsOf(build, 'RUN')) {
  console.log(`RUN ${step}`)
  execFileSync('sh', ['-ec', inFolder(step)], {
    cwd: join(folder, 'build'),
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
await serve()

async function serve(): Promise<void> {
  const [user = ''] = textsOf(image, 'USER')
  const [uid = '', gid = ''] = user.split(':')
  const isRoot = process.getuid?.() === 0
  mkdirSync(data, { mode: 0o700 })
  if (isRoot) execFileSync('chown', [user, data])
  const asUser = isRoot ? ['setpriv', '--reuid', uid, '--regid', gid, '--clear-groups', '--no-new-privs'] : []
  const command = [...listOf('ENTRYPOINT'), ...listOf('CMD')].map(inFolder)
  const [program = '', ...args] = [...asUser, ...command]
  const settings = { PATH: env.PATH, NODE_ENV: 'production', ALCOVE_DATA: data, ALCOVE_PORT: port }
  const before = treeOf(join(folder, 'opt'))
  const server = spawn(program, args, { cwd: data, env: settings, stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  try {
    await untilHealthy(settings)
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } })
    if (page.status !== 200) throw new Error(`the UI responds ${page.status}`)
    if (treeOf(join(folder, 'opt')) !== before) throw new Error('the server wrote outside of its data folder')
    console.log(`ok: the image's steps end in a server that is healthy as ${isRoot ? user : 'this user'}`)
  } finally {
    server.kill('SIGTERM')
    await ended
  }
}

/** Runs the health check of the image until it succeeds. */
async function untilHealthy(settings: Record<string, string | undefined>): Promise<void> {
  const [health = ''] = textsOf(image, 'HEALTHCHECK')
  const [program = '', ...args] = JSON.parse(health.slice(health.indexOf('['))) as string[]
  for (let attempt = 0; ; attempt++) {
    try {
      execFileSync(program, args, { env: settings, stdio: 'ignore' })
      return
    } catch (error) {
      if (attempt === 100) throw error
      await sleep(100)
    }
  }
}

function treeOf(path: string): string {
  return readdirSync(path, { recursive: true }).sort().join('\n')
}

function listOf(name: string): string[] {
  return JSON.parse(textsOf(image, name)[0] ?? '[]') as string[]
}

/** Replaces the image's folders by those of this run. */
function inFolder(text: string): string {
  return text
    .replaceAll('/opt/alcove', join(folder, 'opt/alcove'))
    .replaceAll(/(?<![\w/.])\/build\b/g, `${folder}/build`)
}
