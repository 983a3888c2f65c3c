import { execFileSync } from 'node:child_process'
import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../src/db/open.ts'
import { createTestDatabase, startPostgres } from '../src/testing/databases/postgres.ts'
import { runProcess, startProcess, temporaryFolder } from './process.ts'
import { createTopic, topicsOf } from './requests.ts'

const token = 'token-of-the-archived-log'

// An external server has an archive of its own.
test.skipIf(process.env['ALCOVE_TEST_DATABASE_URL'])(
  'PostgreSQL recovers a named moment from a base backup and its archived log, and only later changes are lost',
  { timeout: 180_000 },
  async () => {
    const folder = await temporaryFolder()
    const [data, base, archive, files] = [
      join(folder, 'cluster'),
      join(folder, 'base'),
      join(folder, 'archive'),
      join(folder, 'files'),
    ]
    await mkdir(archive)
    await mkdir(files)
    // PostgreSQL runs as another user when the tests run as root.
    await chmod(folder, 0o755)
    await chmod(archive, 0o777)
    const common = { listen_addresses: '', fsync: 'off', wal_level: 'replica' }
    const archiving = { ...common, archive_mode: 'on', archive_command: `cp %p ${archive}/%f` }
    const first = await startPostgres({ data, settings: archiving })
    const { name } = await createTestDatabase(first)
    await first.stop()
    // A copy of a stopped cluster is a base backup, too.
    execFileSync('cp', ['-a', data, base])

    const second = await startPostgres({ data, settings: archiving })
    const env = { ALCOVE_BOOTSTRAP_TOKEN: token, ALCOVE_DATA: files, ALCOVE_DATABASE_URL: urlOf(second.url, name) }
    const server = await startProcess({ env })
    await createTopic(server, 'before')
    await createRestorePoint(env.ALCOVE_DATABASE_URL, 'mistake')
    await createTopic(server, 'after')
    const segment = await switchLog(env.ALCOVE_DATABASE_URL)
    await expect.poll(() => stat(join(archive, segment)).catch(() => undefined)).toBeTruthy()
    await server.kill()
    await second.stop()
    await rm(data, { recursive: true })

    await writeFile(join(base, 'recovery.signal'), '')
    const recovering = {
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_name: 'mistake',
      recovery_target_action: 'promote',
    }
    const third = await startPostgres({ data: base, settings: { ...common, ...recovering } })
    onTestFinished(() => third.stop())
    const recovered = { ...env, ALCOVE_DATABASE_URL: urlOf(third.url, name) }
    expect(await runProcess({ env: recovered, command: 'doctor' })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no disagreement'),
    })
    const copy = await startProcess({ env: recovered })
    expect([...(await topicsOf(copy))]).toEqual(['before'])
    await createTopic(copy, 'next')
  },
)

function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

async function createRestorePoint(url: string, name: string): Promise<void> {
  await withDatabase(url, sql`select pg_create_restore_point(${name})::text as found`)
}

/** Completes the current file of the log, so that it is archived. Returns its name. */
function switchLog(url: string): Promise<string> {
  return withDatabase(url, sql`select pg_walfile_name(pg_switch_wal()) as found`)
}

async function withDatabase(url: string, query: ReturnType<typeof sql>): Promise<string> {
  const db = await openDatabase({ kind: 'postgres', url, connections: 1 })
  try {
    return (await db.one<{ found: string }>(query))?.found ?? ''
  } finally {
    await db.close()
  }
}
