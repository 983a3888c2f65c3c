import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/*
 * Checks the package as a user gets it (`npm run check -- package`): packs it, installs the tarball into an empty folder
 * without a compiler and without install scripts, and runs it on each supported release of Node. Needs the registry.
 */
const releases = ['22', '24']
const maxInstalledMb = 60
const maxStartMs = 2_000
/** A busy machine may miss the limit sometimes. */
const startAttempts = 5

const folder = mkdtempSync(join(tmpdir(), 'alcove-package-'))
const tools = join(folder, 'path')
const installed = join(folder, 'installed')
/** Report with CVSS vectors, which a package of its own rates. */
const report = resolve('packages/server/src/domain/reports/formats/trivy/fixtures/image.json')
const program = join(installed, 'node_modules/alcove/bin/alcove.js')
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

linkTools()
const tarball = pack()
install(installed, [tarball])
const sizeMb = megabytesOf(join(installed, 'node_modules'))
check(sizeMb < maxInstalledMb, `installed without a compiler: ${sizeMb.toFixed(1)} MB of at most ${maxInstalledMb} MB`)

for (const release of releases) {
  install(join(folder, release), [`node-linux-${process.arch}@${release}`])
  const node = join(folder, release, 'node_modules', `node-linux-${process.arch}`, 'bin/node')
  await checkRelease(node, `Node ${release} with its own SQLite`)
}
checkWithoutSqlite()
useBinaryOfCheckout()
await checkRelease(process.execPath, `Node ${process.versions.node} with better-sqlite3`)

/** Links the only programs that the installation can use: no compiler, no Python. */
function linkTools(): void {
  mkdirSync(tools)
  for (const name of ['node', 'npm', 'sh', 'env']) {
    const place = (process.env['PATH'] ?? '').split(delimiter).find((path) => existsSync(join(path, name)))
    if (!place) throw new Error(`${name} is not on the PATH`)
    symlinkSync(join(place, name), join(tools, name))
  }
}

function pack(): string {
  const output = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { encoding: 'utf8' })
  return join(folder, output.trim().split('\n').at(-1) ?? '')
}

function install(place: string, packages: readonly string[]): void {
  mkdirSync(place)
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error', '--prefix', place]
  execFileSync('npm', ['install', ...options, ...packages], {
    cwd: place,
    env: { ...process.env, PATH: tools },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

function megabytesOf(path: string): number {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  return bytes / 1024 / 1024
}

async function checkRelease(node: string, name: string): Promise<void> {
  check(run(node, ['--version']).startsWith('0.'), `${name}: prints its version`)
  check(run(node, []).includes('Run a server'), `${name}: prints help without arguments`)
  check(run(node, ['upload', '--help']).includes('--fail-on'), `${name}: runs the command line`)
  const times: number[] = []
  while (times.length < startAttempts && !times.some((time) => time < maxStartMs)) times.push(await serveOnce(node))
  const best = Math.min(...times)
  check(best < maxStartMs, `${name}: serves API and UI after ${Math.round(best)} ms of at most ${maxStartMs} ms`)
}

/** Serves an empty folder, requests the API and the UI, backs up, imports a report and examines. Returns the time to readiness. */
async function serveOnce(node: string): Promise<number> {
  const data = mkdtempSync(join(folder, 'data-'))
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const env = { ...settings(data), ALCOVE_PORT: String(port), ALCOVE_BOOTSTRAP_TOKEN: 'token-of-the-package-check' }
  const startedAt = performance.now()
  const server = spawn(node, [program, 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = new Promise((resolveIt) => server.once('exit', resolveIt))
  try {
    await untilReady(`http://127.0.0.1:${port}/-/ready`)
    const time = performance.now() - startedAt
    const headers = { 'PRIVATE-TOKEN': env.ALCOVE_BOOTSTRAP_TOKEN }
    const user = await fetch(`http://127.0.0.1:${port}/api/v4/user`, { headers })
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } })
    const script = /src="([^"]+)"/.exec(await page.text())?.[1] ?? '/missing'
    const asset = await fetch(`http://127.0.0.1:${port}${script}`)
    if (!user.ok || !asset.ok) throw new Error(`the API responds ${user.status}, the script of the UI ${asset.status}`)
    run(node, ['backup', `${data}-backups`, '--verify'], settings(data))
    const client = { PATH: tools, ALCOVE_URL: `http://127.0.0.1:${port}`, ALCOVE_TOKEN: env.ALCOVE_BOOTSTRAP_TOKEN }
    const uploaded = run(node, ['upload', '--project', 'root/shop', '--ref', 'main', report], client)
    if (!uploaded.includes('CVE-')) throw new Error(`the import of a report printed: ${uploaded}`)
    return time
  } finally {
    server.kill('SIGTERM')
    await ended
    run(node, ['doctor'], settings(data))
  }
}

async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; attempt < 2_000; attempt++) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return
    await sleep(10)
  }
  throw new Error(`the server did not become ready at ${url}`)
}

/** Node 20 has no SQLite of its own, and the installation has no binary of better-sqlite3. */
function checkWithoutSqlite(): void {
  if (Number(process.versions.node.split('.')[0]) >= 22) return
  try {
    run(process.execPath, ['migrate'], settings(mkdtempSync(join(folder, 'data-'))))
    check(false, 'a missing binary is reported')
  } catch (error) {
    const text = String((error as { stderr?: Buffer }).stderr)
    check(/Node 24.*npm rebuild better-sqlite3/s.test(text), 'a missing binary is reported with the ways out')
  }
}

function useBinaryOfCheckout(): void {
  const build = 'node_modules/better-sqlite3/build'
  cpSync(resolve(build), join(installed, build), { recursive: true })
}

function settings(data: string) {
  return { PATH: tools, ALCOVE_DATA: data, ALCOVE_LOG_LEVEL: 'error' }
}

function run(node: string, args: readonly string[], env: Record<string, string> = { PATH: tools }): string {
  return execFileSync(node, [program, ...args], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

function check(isTrue: boolean, sentence: string): void {
  console.log(`${isTrue ? 'ok' : 'FAILED'}: ${sentence}`)
  if (!isTrue) process.exitCode = 1
}
