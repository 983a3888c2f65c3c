import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { openApp } from './app.ts'
import { lockIfFree } from './db/sqlite/engine.ts'
import type { Call, SignIn } from './demo/call.ts'
import { openDemoClock } from './demo/clock.ts'
import { fillDemo } from './demo/fill.ts'
import type { RootDeps } from './domain/deps.ts'
import { sessionHeader } from './http/pipeline/credentials.ts'
import { startJobs } from './jobs.ts'
import { databaseFiles } from './platform/private-files.ts'
import type { Settings } from './platform/settings/settings.ts'

export interface DemoFolder {
  path: string
  /** True when the incomplete demo of an earlier start was removed from it. */
  wasIncomplete: boolean
  /** Records that the history is complete. */
  complete(): Promise<void>
  /** Removes the folder when it was temporary. */
  close(): Promise<void>
}

/** Returns the folder that the user named, or a temporary one. */
export async function openDemoFolder(named: string | undefined): Promise<DemoFolder> {
  if (named) return openNamedFolder(resolve(named))
  const path = await mkdtemp(join(tmpdir(), 'alcove-demo-'))
  const close = () => rm(path, { recursive: true, force: true })
  return { path, wasIncomplete: false, complete: async () => {}, close }
}

/** Begins afresh in a folder whose history is incomplete, because its clock and generator cannot continue in the middle. */
async function openNamedFolder(path: string): Promise<DemoFolder> {
  const database = join(path, databaseFiles[0])
  const marker = join(path, 'demo-is-incomplete')
  // A process that still writes the history holds the lock, and opening the database reports it.
  const lock = existsSync(marker) ? lockIfFree(database) : undefined
  if (lock) {
    for (const name of [...databaseFiles, 'objects']) await rm(join(path, name), { recursive: true, force: true })
    lock.close()
  }
  if (!existsSync(database)) {
    await mkdir(path, { recursive: true })
    await writeFile(marker, 'This file is removed when the history of the demo is complete.\n')
  }
  return { path, wasIncomplete: lock !== undefined, complete: () => rm(marker, { force: true }), close: async () => {} }
}

/** Returns settings for a demo: SQLite and files in its folder, and a quiet log. */
export function demoSettings({ databaseUrl: _, s3: __, ...settings }: Settings, folder: string): Settings {
  return { ...settings, dataFolder: folder, logLevel: settings.logLevel === 'info' ? 'warn' : settings.logLevel }
}

/**
 * Writes the data of the demo through a server that does not listen and whose clock begins a year ago. `isShort` writes the last
 * month of a few projects.
 */
export async function writeDemoData(deps: RootDeps, token: string, { isShort = false } = {}): Promise<void> {
  const clock = openDemoClock()
  const past = { ...deps, now: clock.now, log: deps.log.child({}, { level: 'silent' }) }
  const { server } = await openApp(past)
  const jobs = startJobs(past)
  const call: Call = async (method, path, body, cookie) => {
    const request = body && new Response(body instanceof FormData ? body : JSON.stringify(body))
    const type = body instanceof FormData ? request?.headers.get('content-type') : 'application/json'
    const reply = await server.inject({
      method,
      url: `/api/v4${path}`,
      headers: {
        ...(cookie ? { cookie, [sessionHeader]: '1' } : { 'private-token': token }),
        ...(type && body && { 'content-type': type }),
      },
      ...(request && { payload: Buffer.from(await request.arrayBuffer()) }),
    })
    const text = decoded(reply.rawPayload, reply.headers['content-encoding'])
    if (reply.statusCode >= 400) throw new Error(`the demo data: ${method} ${path}: ${reply.statusCode} ${text}`)
    return JSON.parse(text)
  }
  const signIn: SignIn = async (login, password) => {
    const reply = await server.inject({ method: 'POST', url: '/-/sessions', payload: { login, password } })
    const cookies = [reply.headers['set-cookie'] ?? []].flat()
    return cookies.map((cookie) => cookie.split(';')[0]).join('; ')
  }
  try {
    await fillDemo({ call, signIn, clock, isShort })
  } finally {
    await jobs.stop()
    await server.close()
  }
}

function decoded(bytes: Buffer, encoding: unknown): string {
  if (encoding === 'br') return brotliDecompressSync(bytes).toString()
  return (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString()
}
