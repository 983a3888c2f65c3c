import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { bundle } from '../../../scripts/bundle.ts'
import { openApp, openDeps } from '../src/app.ts'
import { migrate } from '../src/db/migrate.ts'
import { migrations } from '../src/db/migrations/all.ts'
import { ensureAdministrator } from '../src/domain/bootstrap.ts'
import type { RootDeps } from '../src/domain/deps.ts'
import { deleteMarkedObjects } from '../src/domain/files/pending-deletions.ts'
import { examine } from '../src/domain/removal/doctor.ts'
import { removeOrphanedObjects } from '../src/domain/removal/orphan-cleanup.ts'
import { readSettings } from '../src/platform/settings/settings.ts'
import { type Client, createClient, formWithFile } from '../src/testing/client.ts'
import { createTestDatabase, startPostgres } from '../src/testing/databases/postgres.ts'
import { folderInMemory } from '../src/testing/memory.ts'
import { launch, temporaryFolder } from './process.ts'

// Kills at random moments are in crash.test.ts; these tests kill between every two steps.

const token = 'token-of-the-kill-tests'
const large = Buffer.alloc(1_000_000, 'kill ')
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const programs = path('../.tmp/dying-server')

/** Bundles the server once, because each of two dozen processes would otherwise compile it. */
beforeAll(() => bundle(path('crash/dying-server.ts'), programs, { hasWorkers: true }))

/** Initial data of every test, for the current engine. */
let seed: Seed
let project: number
const ids: Record<string, number> = {}

interface Seed {
  /** Returns settings of a server on a copy that is removed after the test. */
  copy(): Promise<Env>
  close(): Promise<void>
}
type Env = Record<string, string> & { ALCOVE_DATA: string }

async function seedSqlite(): Promise<Seed> {
  const folder = await mkdtemp(join(await folderInMemory(), 'alcove-kills-'))
  await fill({ ALCOVE_DATA: folder })
  return { copy: () => copyFolder(folder), close: () => rm(folder, { recursive: true, force: true }) }
}

async function seedPostgres(): Promise<Seed> {
  const folder = await mkdtemp(join(await folderInMemory(), 'alcove-kills-'))
  const postgres = await startPostgres()
  const original = await createTestDatabase(postgres)
  await fill({ ALCOVE_DATA: folder, ALCOVE_DATABASE_URL: original.url })
  return {
    async copy() {
      const database = await createTestDatabase(postgres, { template: original.name })
      onTestFinished(() => database.drop())
      return { ...(await copyFolder(folder)), ALCOVE_DATABASE_URL: database.url }
    },
    async close() {
      await original.drop()
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function copyFolder(folder: string): Promise<Env> {
  const copy = await temporaryFolder()
  await cp(folder, copy, { recursive: true })
  return { ALCOVE_DATA: copy }
}

/** Creates three files, one of them deleted, and a second project with two files. */
async function fill(env: Env): Promise<void> {
  await serve(env, async (_, admin) => {
    const names = { project: ['kept', 'doomed', 'deleted'], other: ['first', 'second'] }
    for (const [name, files] of Object.entries(names)) {
      const { body } = await admin.post('/projects', { name })
      ids[name] = body.id
      for (const file of files) {
        const created = await admin.post(`/projects/${body.id}/uploads`, formWithFile('file', file, `bytes of ${file}`))
        ids[file] = created.body.id
      }
    }
    project = ids['project'] ?? 0
    expect((await admin.delete(`/projects/${project}/uploads/${ids['deleted']}`)).status).toBe(204)
  })
}

interface Left {
  /** Names in the project; deleted ones have a minus sign. */
  uploads?: string[]
  projects?: number
  objects: number | number[]
  unfinished?: number
  /** Number of objects after the jobs have run. */
  afterCleanup: number
}
type Case = [moment: string, left: Left]

/** The files before the test. */
const before = ['kept', 'doomed', '-deleted']

describe.each([
  ['SQLite', seedSqlite],
  ['PostgreSQL', seedPostgres],
])('on %s', (_engine, openSeed) => {
  beforeAll(async () => {
    seed = await openSeed()
  })
  afterAll(() => seed.close())

  describe('a kill during an upload', () => {
    const cases: Case[] = [
      ['put middle', { objects: 5, afterCleanup: 5 }],
      ['put late', { objects: 5, unfinished: 1, afterCleanup: 5 }],
      ['put after', { objects: 6, afterCleanup: 5 }],
      ['commit before', { objects: 6, afterCleanup: 5 }],
      ['commit after', { uploads: [...before, 'new'], objects: 6, afterCleanup: 6 }],
    ]
    test.each(cases)('at "%s" leaves database and store consistent', async (moment, left) => {
      await killed(moment, left, ({ url, headers }) =>
        fetch(`${url}/projects/${project}/uploads`, {
          method: 'POST',
          headers,
          body: formWithFile('file', 'new', large),
        }),
      )
    })
  })

  describe('a kill while an upload is deleted', () => {
    const cases: Case[] = [
      ['commit before', { objects: 5, afterCleanup: 5 }],
      ['commit after', { uploads: ['kept', '-doomed', '-deleted'], objects: 5, afterCleanup: 5 }],
    ]
    test.each(cases)('at "%s" leaves database and store consistent', async (moment, left) => {
      await killed(moment, left, ({ url, headers }) =>
        fetch(`${url}/projects/${project}/uploads/${ids['doomed']}`, { method: 'DELETE', headers }),
      )
    })
  })

  describe('a kill while deleted uploads expire', () => {
    const cases: Case[] = [
      ['commit before', { objects: 5, afterCleanup: 5 }],
      ['commit after', { uploads: ['kept', 'doomed'], objects: 5, afterCleanup: 4 }],
      ['remove after', { uploads: ['kept', 'doomed'], objects: 4, afterCleanup: 4 }],
    ]
    test.each(cases)('at "%s" leaves database and store consistent', async (moment, left) => {
      await killed(`${moment} expire`, left)
    })
  })

  describe('a kill while a project is deleted', () => {
    const cases: Case[] = [
      ['commit before', { objects: 5, afterCleanup: 5 }],
      ['commit after', { projects: 1, objects: 5, afterCleanup: 3 }],
      // Several objects are removed concurrently.
      ['remove after', { projects: 1, objects: [3, 4], afterCleanup: 3 }],
    ]
    test.each(cases)('at "%s" leaves database and store consistent', async (moment, left) => {
      await killed(moment, left, ({ url, headers }) =>
        fetch(`${url}/projects/${ids['other']}`, { method: 'DELETE', headers }),
      )
    })
  })
})

interface Target {
  url: string
  headers: Record<string, string>
}

/** Kills a server at that moment and returns what the next one finds. */
async function killed(moment: string, left: Left, act?: (target: Target) => Promise<Response>): Promise<void> {
  const env = await seed.copy()
  await die(env, moment, act)

  const unfinishedFolder = join(env.ALCOVE_DATA, 'objects', 'tmp')
  const unfinished = await readdir(unfinishedFolder)
  expect(unfinished).toHaveLength(left.unfinished ?? 0)
  await serve(env, async (deps, admin) => {
    const { uploads = before, projects = 2, objects } = left
    expect(await uploadsOf(admin)).toEqual([...uploads].sort())
    expect((await admin.get('/projects')).body).toHaveLength(projects)
    const found = await examine(deps, { fix: false })
    expect(found.findings).toEqual([])
    expect([objects].flat()).toContain(found.objects)
    await deleteMarkedObjects(deps)

    const tomorrow = { ...deps, now: () => new Date(Date.now() + 25 * 60 * 60 * 1000).toISOString() }
    await removeOrphanedObjects(tomorrow)
    expect(await examine(tomorrow, { fix: false })).toMatchObject({
      findings: [],
      files: left.afterCleanup,
      objects: left.afterCleanup,
    })
    expect(await readdir(unfinishedFolder)).toEqual([])
  })
}

async function die(settings: Env, moment: string, act: ((target: Target) => Promise<Response>) | undefined) {
  const program = join(programs, 'dying-server.js')
  const env = {
    ...settings,
    ALCOVE_LOG_LEVEL: 'error',
    ALCOVE_UPLOAD_GRACE_DAYS: '0',
    ALCOVE_OBJECT_RETENTION_HOURS: '0',
  }
  const { output, ended } = await launch({ program, command: moment, env })
  if (act) {
    const address = () => /^Alcove serves (\S+)$/m.exec(output.stdout)?.[1]
    await expect.poll(() => address() ?? output.stderr).not.toBe('')
    const outcome = await act({ url: `${address()}/api/v4`, headers: { 'private-token': token } }).catch(String)
    expect(outcome).toMatch(/fetch failed/)
  }
  expect(await ended).toMatchObject({ signal: 'SIGKILL', stderr: '' })
}

/** Returns the names of the files after reading each completely, or after checking that a deleted one can be restored. */
async function uploadsOf(admin: Client): Promise<string[]> {
  const base = `/projects/${project}/uploads`
  const names: string[] = []
  for (const { id, filename } of (await admin.get(base)).body) {
    const expected = filename === 'new' ? large.toString() : `bytes of ${filename}`
    expect((await admin.get(`${base}/${id}`)).text).toBe(expected)
    names.push(filename)
  }
  for (const { filename } of (await admin.get(`${base}?deleted=true`)).body) names.push(`-${filename}`)
  return names.sort()
}

/** Starts the whole server in this process. */
async function serve(env: Env, work: (deps: RootDeps, admin: Client) => Promise<void>): Promise<void> {
  const settings = {
    ...env,
    ALCOVE_BOOTSTRAP_TOKEN: token,
    ALCOVE_LOG_LEVEL: 'silent',
    ALCOVE_OBJECT_RETENTION_HOURS: '0',
  }
  const deps = await openDeps(readSettings(settings))
  await migrate(deps.db, migrations)
  await ensureAdministrator(deps)
  const app = await openApp(deps)
  try {
    await work(deps, createClient(app.server, { token }))
  } finally {
    await app.close()
  }
}
