import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeCacheName, codeCacheOf } from '../packages/server/src/platform/code-cache.ts'

const timeoutMs = 20_000

/**
 * Starts the built server once in an empty folder, and stores the code that V8 has compiled for it beside the program, so
 * that the first start of a user does not compile it. Prints why if the server does not start; it works without a cache.
 */
export async function storeCodeCache(dist: string): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'alcove-build-'))
  const server = spawn(process.execPath, [join(dist, 'main.js')], {
    env: { ...withoutSettings(process.env), ALCOVE_DATA: data, ALCOVE_HOST: '127.0.0.1', ALCOVE_PORT: '0' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exit = once(server, 'exit')
  const cache = join(data, codeCacheName)
  try {
    const isOver = AbortSignal.timeout(timeoutMs)
    while (!existsSync(cache) && server.exitCode === null && !isOver.aborted) await sleep(50)
    if (existsSync(cache)) copyFileSync(cache, codeCacheOf(join(dist, 'program.cjs')))
    else console.error('build: the server did not store its compiled code, so its first start will take longer')
  } finally {
    server.kill()
    await exit
    rmSync(data, { recursive: true, force: true })
  }
}

const withoutSettings = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('ALCOVE_')))
