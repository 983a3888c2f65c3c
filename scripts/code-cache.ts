import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cacheBeside, cacheInFolder } from '../packages/server/src/platform/code-cache.ts'

const timeoutMs = 20_000

/**
 * Starts the built server once in an empty folder, and stores the code that V8 has compiled for it beside the program, so
 * that the first start of a user does not compile it. The program works without this cache, so an error is only printed.
 */
export async function storeCodeCache(dist: string): Promise<void> {
  try {
    await store(dist)
  } catch (error) {
    console.error(`build: no compiled code was stored, so the first start takes longer: ${error}`)
  }
}

async function store(dist: string): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'alcove-build-'))
  const server = spawn(process.execPath, [join(dist, 'main.js')], {
    env: { ...withoutSettings(process.env), ALCOVE_DATA: data, ALCOVE_HOST: '127.0.0.1', ALCOVE_PORT: '0' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const end = () => {
    server.kill('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  }
  // Also when the build is interrupted.
  const interrupt = () => process.exit(1)
  process.once('exit', end)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt)
  try {
    const exit = once(server, 'exit')
    let isOver = false
    exit.then(() => (isOver = true)).catch(() => (isOver = true))
    const stored = join(data, cacheInFolder)
    const deadline = performance.now() + timeoutMs
    while (!existsSync(stored)) {
      if (isOver || performance.now() > deadline) throw new Error('the server stored none')
      await sleep(50)
    }
    const target = cacheBeside(join(dist, 'program.cjs'))
    copyFileSync(stored, target)
    chmodSync(target, 0o644)
    server.kill()
    await exit
  } finally {
    end()
    process.off('exit', end)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt)
  }
}

/** Leaves out what would change the server or the flags of V8, with which other starts would reject the code. */
const withoutSettings = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'NODE_OPTIONS' && !name.startsWith('ALCOVE_')))
