import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readStages, textsOf } from './dockerfile.ts'
import { makeBaseImage } from './image/base-image.ts'
import { type Container, type ImageConfig, startContainer } from './image/container.ts'

/*
 * Builds the image of packaging/Dockerfile from the last commit and runs it (`npm run check -- package`): as its own user,
 * without capabilities, with a read-only root. Needs root, the packages buildah and debootstrap of Debian, and the
 * registry of npm; elsewhere it is skipped.
 */
const name = 'localhost/alcove:check'
const maxStopMs = 5_000

const missing = missingRequirements()
if (missing.length > 0) console.log(`skipped: the image is not checked, because this needs ${missing.join(', ')}`)
else await checkImage()

function missingRequirements(): string[] {
  const programs = ['buildah', 'debootstrap', 'unshare', 'nsenter', 'setpriv']
  const absent = programs.filter((program) => !canRun('sh', ['-c', `command -v ${program}`]))
  return [...(process.getuid?.() === 0 ? [] : ['the user root']), ...absent]
}

async function checkImage(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'alcove-image-'))
  const buildah = (args: readonly string[]) =>
    execFileSync('buildah', ['--root', join(folder, 'images'), '--runroot', join(folder, 'run'), ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, BUILDAH_ISOLATION: 'chroot', STORAGE_DRIVER: 'vfs' },
    }).trim()
  try {
    const { config, root } = buildImage(buildah, folder)
    const data = join(folder, 'data')
    mkdirSync(data, { mode: 0o700 })
    const [uid, gid] = config.User.split(':').map(Number)
    chownSync(data, uid ?? 0, gid ?? 0)
    await checkServe({ config, root, data })
    await checkDemo({ config, root, data })
  } finally {
    buildah(['umount', '--all'])
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Image {
  config: ImageConfig
  root: string
}

function buildImage(buildah: (args: readonly string[]) => string, folder: string): Image {
  const dockerfile = readFileSync('packaging/Dockerfile', 'utf8')
  const bases = new Set(
    readStages(dockerfile).flatMap((stage) => textsOf(stage, 'FROM').map((from) => from.split(' ')[0] ?? '')),
  )
  for (const base of bases) makeBaseImage(buildah, folder, `docker.io/library/${base}`)
  const context = join(folder, 'context')
  mkdirSync(context)
  execFileSync('sh', ['-c', `git archive HEAD | tar -x -C '${context}'`])
  const file = join(context, 'packaging/Dockerfile')
  const options = ['--pull=never', '--format', 'docker', '--build-arg', 'REVISION=image-check', '--tag', name]
  buildah(['build', ...options, '--file', file, context])
  const { Docker: image } = JSON.parse(buildah(['inspect', '--type', 'image', name]))
  const root = buildah(['mount', buildah(['from', '--pull-never', name])])
  report(true, 'builds')
  return { config: image.config, root }
}

/** Starts the server twice on the same data folder. */
async function checkServe({ config, root, data }: Image & { data: string }): Promise<void> {
  for (const start of ['first', 'second']) {
    const env = listenOnLoopback()
    const container = startContainer({ config, root, data, env })
    await container.printed('Alcove serves')
    report(await isHealthy(container, config), `${start} start: the health check succeeds`)
    const page = await fetch(`http://127.0.0.1:${env.ALCOVE_PORT}/`, { headers: { accept: 'text/html' } })
    report(page.status === 200, `${start} start: serves the UI`)
    report(container.run(['touch', '/data/written']) === 0, `${start} start: /data can be written`)
    for (const place of ['/written', '/opt/alcove/written', '/usr/local/bin/written']) {
      report(container.run(['touch', place]) !== 0, `${start} start: ${place} cannot be written`)
    }
    const noRights = 'test "$(id -u):$(id -g)" = 10001:10001 && grep -q "^CapEff:.0*$" /proc/1/status'
    report(container.run(['sh', '-c', noRights]) === 0, `${start} start: runs as 10001 without capabilities`)
    const backup = [...config.Entrypoint, 'backup', '/tmp/backups']
    report(container.run(backup) === 0, `${start} start: writes a backup`)
    const { code, ms } = await container.stop()
    report(code === 0 && ms < maxStopMs, `${start} start: ends with ${code} after ${Math.round(ms)} ms`)
  }
}

async function checkDemo({ config, root, data }: Image & { data: string }): Promise<void> {
  const demo = startContainer({ config, root, data, env: listenOnLoopback(), command: ['demo'] })
  await demo.printed('The history is complete.')
  report(await isHealthy(demo, config), 'demo: the health check succeeds when the history is complete')
  const { code } = await demo.stop()
  report(code === 0, `demo: ends with ${code}`)
}

function listenOnLoopback() {
  return { ALCOVE_HOST: '127.0.0.1', ALCOVE_PORT: String(20_000 + Math.floor(Math.random() * 20_000)) }
}

/** Runs the health check of the image until it succeeds, a few times. */
async function isHealthy(container: Container, { Healthcheck }: ImageConfig): Promise<boolean> {
  for (let attempt = 0; attempt < 10; attempt++) {
    if (container.run(Healthcheck.Test.slice(1)) === 0) return true
    await sleep(500)
  }
  return false
}

function canRun(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function report(isTrue: boolean, sentence: string): void {
  console.log(`${isTrue ? 'ok' : 'FAILED'}: image: ${sentence}`)
  if (!isTrue) process.exitCode = 1
}
