import { onTestFinished } from 'vitest'
import { migrations } from '../db/migrations/all.ts'
import type { Manifest } from '../domain/backup/backup.ts'
import { type BackupStore, openBackupStore } from '../domain/backup/backup-store.ts'
import type { FileReport } from '../domain/backup/copy-files.ts'
import { writeBackup } from '../domain/backup/write-backup.ts'
import { openMemoryStore } from '../platform/object-store/memory.ts'
import type { ObjectStore } from '../platform/object-store/objects.ts'
import { formWithFile } from './client.ts'
import { type FreshDatabase, freshDatabase } from './databases/database.ts'
import { entry } from './reports/reports.ts'
import { startServer, type TestOptions, type TestServer } from './server.ts'

export interface FilledServer {
  server: TestServer
  objects: ObjectStore
  database: FreshDatabase
  project: { id: number }
}

/** Starts a server with rows in many tables, and files of each kind. */
export async function startFilledServer(options: Pick<TestOptions, 'clock'> = {}): Promise<FilledServer> {
  const [database, objects] = [await freshDatabase(), openMemoryStore()]
  const server = await startServer({ database, objects, ...options })
  const project = await server.project('acme/site')
  await server.as('developer', project)
  await server.report(project, [
    entry({ name: 'SQL injection in the search', severity: 'High', code: 'select 1' }),
    entry({
      name: 'Päth traversal',
      line: 7,
      file: 'src/ünï.ts',
      others: [{ type: 'cwe', name: 'CWE-22', value: '22' }],
    }),
  ])
  await server.finding(project, { name: 'A secret', rule: 'secret' })
  for (const name of ['first.txt', 'second.txt', 'same as first.txt']) {
    await upload(server, project, { name, content: name.includes('first') ? 'one content' : 'another content' })
  }
  await server.admin.post('/topics', topicForm('rust', 'Rust'))
  await server.admin.post('/topics', { name: 'golang', title: 'Go "quoted" \\ 語' })
  await server.admin.post(`/projects/${project.id}/hooks`, { url: 'https://hooks.example.com/', issues_events: true })
  return { server, objects, database, project }
}

function topicForm(name: string, title: string): FormData {
  return formWithFile('avatar', 'avatar.png', onePixel, { name, title })
}

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

/** Uploads a file and returns its id. */
export async function upload(
  server: TestServer,
  project: { id: number },
  { name, content }: { name: string; content: string },
): Promise<number> {
  const { status, body, text } = await server.admin.post(
    `/projects/${project.id}/uploads`,
    formWithFile('file', name, content),
  )
  if (status !== 201) throw new Error(text)
  return body.id
}

export interface WrittenBackup {
  manifest: Manifest
  files: FileReport
}

/** Writes a complete backup of a server, as the command does. */
export async function backUp(
  { database, objects }: Pick<FilledServer, 'database' | 'objects'>,
  store: BackupStore,
  options: { isThorough?: boolean } = {},
): Promise<WrittenBackup> {
  const lock = await store.lock()
  try {
    const source = { database: database.options, objects, migrations }
    const written = await writeBackup(store, source, { report: () => {}, ...options })
    await store.writeManifest(written.manifest)
    return written
  } finally {
    await lock.release()
  }
}

/** Returns a store of backups in memory with its objects. */
export function memoryBackups(): { store: BackupStore; objects: ObjectStore } {
  const objects = openMemoryStore()
  return { store: openBackupStore(objects, 'memory'), objects }
}

/** Returns an empty, migrated database that is removed with the test. */
export async function spareDatabase(): Promise<FreshDatabase> {
  const database = await freshDatabase()
  onTestFinished(async () => {
    await database.db.close()
    await database.drop()
  })
  return database
}

export async function keysIn(store: ObjectStore, prefix = ''): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list(prefix)) keys.push(key)
  return keys.sort()
}
