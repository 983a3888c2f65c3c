import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import sql, { raw } from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../src/db/open.ts'
import { createTestDatabase, startPostgres } from '../src/testing/databases/postgres.ts'
import { launch, runProcess, type ServerProcess, startProcess, temporaryFolder } from './process.ts'
import { createProject, createTopic, topicsOf, uploadFile } from './requests.ts'

const token = 'token-of-the-restore-kills'
const refusal = /a restore of the backup \S+ has not ended; run alcove restore again/

/** Moment at which a restore is killed: when it prints a line, or after a time. */
type Moment = { line: RegExp } | { ms: number }

test.each([
  ['SQLite', openFolder],
  ['PostgreSQL', openPostgres],
])(
  'a restore that is killed on %s leaves the former data or a database that the server refuses',
  {
    timeout: 400_000,
  },
  async (_engine, open) => {
    const { env, emptyEnv, formerTopics } = await open()
    const backups = join(await temporaryFolder(), 'backups')
    const restore = `restore ${backups}`
    let server = await startProcess({ env })
    await createTopic(server, 'in-the-backup')
    await uploadFiles(server, 30)
    expect(await runProcess({ env, command: `backup ${backups}` })).toMatchObject({ code: 0 })
    await createTopic(server, 'later')
    const served = await runProcess({ env, command: `${restore} --force` })
    expect(served).toMatchObject({ code: 1, stderr: expect.stringContaining('a server uses') })
    expect(await namesOf(server)).toEqual(['in-the-backup', 'later'])
    await server.stop()

    const refused = await runProcess({ env, command: restore })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') })
    expect(await runProcess({ env: emptyEnv, command: restore })).toMatchObject({ code: 0 })
    const measured = performance.now()
    expect(await runProcess({ env, command: `${restore} --force` })).toMatchObject({ code: 0 })
    const ms = performance.now() - measured
    expect(await formerTopics()).toEqual(['in-the-backup', 'later'])

    const moments: Moment[] = [{ line: /before is in/ }, { line: /restoring rows/ }, { ms: ms * 0.8 }]
    const outcomes: string[] = []
    // Each command after one of the kills that leave a database that is refused, as a process takes half a second.
    const commands = [['doctor', 'migrate'], [`backup ${backups}`]]
    for (const moment of moments) {
      server = await startProcess({ env })
      expect(await namesOf(server)).toEqual(['in-the-backup'])
      await createTopic(server, 'later')
      await server.stop()

      const { signal } = await killedRestore({ env, command: `${restore} --force`, moment })
      const outcome = await outcomeOf(env)
      outcomes.push(signal === 'SIGKILL' ? outcome : 'ended before')
      if (outcome === 'refused') {
        const refusals = (commands[outcomes.length - 1] ?? []).map((command) => runProcess({ env, command }))
        for (const end of await Promise.all(refusals))
          expect(end).toMatchObject({ code: 1, stderr: expect.stringMatching(refusal) })
      }
      const again = await runProcess({ env, command: outcome === 'refused' ? restore : `${restore} --force` })
      expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Restored the backup') })
      expect(await formerTopics()).toEqual(outcome === 'restored' ? ['in-the-backup'] : ['in-the-backup', 'later'])
      expect(await runProcess({ env, command: 'doctor --contents' })).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('30 files and 30 objects examined: no disagreement'),
      })
    }
    // The two kills at a line come after the first change and before the last one.
    expect(outcomes.slice(0, 2)).toEqual(['refused', 'refused'])
  },
)

test.each([
  ['SQLite', openFolder],
  ['PostgreSQL', openPostgres],
])(
  'a killed restore into an empty place on %s is repeated, and no server starts without data',
  {
    timeout: 200_000,
  },
  async (_engine, open) => {
    const { env, emptyEnv } = await open()
    const backups = join(await temporaryFolder(), 'backups')
    const server = await startProcess({ env })
    await createTopic(server, 'in-the-backup')
    await uploadFiles(server, 10)
    expect(await runProcess({ env, command: `backup ${backups}` })).toMatchObject({ code: 0 })
    await server.stop()

    const killed = { env: emptyEnv, command: `restore ${backups}`, moment: { line: /restoring rows/ } }
    expect(await killedRestore(killed)).toMatchObject({ signal: 'SIGKILL' })
    expect(await outcomeOf(emptyEnv)).toBe('refused')
    expect(await runProcess({ env: emptyEnv, command: `restore ${backups}` })).toMatchObject({ code: 0 })
    expect(await namesOf(await startProcess({ env: emptyEnv }))).toEqual(['in-the-backup'])
  },
)

async function killedRestore({ env, command, moment }: { env: Env; command: string; moment: Moment }) {
  const { child, output, ended } = await launch({ env, command })
  if ('ms' in moment) await sleep(moment.ms)
  else {
    const isPrinted = () => moment.line.test(output.stdout + output.stderr)
    await expect.poll(() => isPrinted() || child.exitCode !== null, { interval: 2 }).toBe(true)
  }
  child.kill('SIGKILL')
  return ended
}

/** Starts a server, and returns whether it refuses, or which data it has. */
async function outcomeOf(env: Env): Promise<'refused' | 'former' | 'restored'> {
  const started = await startProcess({ env }).catch((error: Error) => error)
  if (started instanceof Error) {
    expect(started.message).toMatch(refusal)
    return 'refused'
  }
  const topics = await namesOf(started)
  await started.stop()
  expect(topics).toContain('in-the-backup')
  return topics.includes('later') ? 'former' : 'restored'
}

type Env = Record<string, string>

interface Place {
  env: Env
  /** Settings with an empty database and the same kind of engine. */
  emptyEnv: Env
  /** Reads the topics of the data that the last restore has moved aside. */
  formerTopics(): Promise<string[]>
}

async function openFolder(): Promise<Place> {
  const [data, empty] = [await temporaryFolder(), await temporaryFolder()]
  return {
    env: { ALCOVE_DATA: data, ALCOVE_BOOTSTRAP_TOKEN: token },
    emptyEnv: { ALCOVE_DATA: empty, ALCOVE_BOOTSTRAP_TOKEN: token },
    async formerTopics() {
      const aside = (await readdir(data)).filter((name) => name.startsWith('before-restore-')).sort()
      return namesIn({ kind: 'sqlite', file: join(data, aside.at(-1) ?? '', 'alcove.sqlite3') }, 'topics')
    },
  }
}

async function openPostgres(): Promise<Place> {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const [database, other] = [await createTestDatabase(postgres), await createTestDatabase(postgres)]
  const data = await temporaryFolder()
  await mkdir(join(data, 'empty'))
  const common = { ALCOVE_BOOTSTRAP_TOKEN: token }
  return {
    env: { ...common, ALCOVE_DATA: data, ALCOVE_DATABASE_URL: database.url },
    emptyEnv: { ...common, ALCOVE_DATA: join(data, 'empty'), ALCOVE_DATABASE_URL: other.url },
    async formerTopics() {
      const options = { kind: 'postgres', url: database.url } as const
      const db = await openDatabase(options)
      const schemas = await db
        .all<{ name: string }>(sql`select nspname::text as name from pg_namespace where nspname like 'before%'`)
        .finally(() => db.close())
      const [newest] = schemas.map(({ name }) => name).sort((a, b) => b.localeCompare(a))
      return namesIn(options, `${newest}.topics`)
    },
  }
}

async function namesIn(options: Parameters<typeof openDatabase>[0], table: string): Promise<string[]> {
  const db = await openDatabase(options)
  try {
    return (await db.all<{ name: string }>(sql`select name from ${raw(table)} order by name`)).map(({ name }) => name)
  } finally {
    await db.close()
  }
}

async function namesOf(server: ServerProcess): Promise<string[]> {
  return [...(await topicsOf(server))].sort()
}

async function uploadFiles(server: ServerProcess, count: number): Promise<void> {
  const project = await createProject(server)
  for (let number = 0; number < count; number++) await uploadFile(server, project, `content ${number}`.repeat(20_000))
}
