import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { withScripts } from '../../db/engine.ts'
import { migrations } from '../../db/migrations/all.ts'
import { readSnapshot } from '../../db/open.ts'
import { openMemoryStore } from '../../platform/object-store/memory.ts'
import type { ObjectStore } from '../../platform/object-store/objects.ts'
import {
  backUp,
  type FilledServer,
  keysIn,
  memoryBackups,
  spareDatabase,
  startFilledServer,
  upload,
} from '../../testing/backups.ts'
import { onSqlite, testEngine } from '../../testing/databases/database.ts'
import { startServer } from '../../testing/server.ts'
import type { Manifest } from './backup.ts'
import type { BackupStore } from './backup-store.ts'
import { pruneBackups } from './prune-backups.ts'
import { restoreFiles, restoreRows } from './restore-backup.ts'
import { digestTables, verifyBackup } from './verify-backup.ts'

const quiet = () => {}

async function restore(store: BackupStore, manifest: Manifest) {
  const [database, objects] = [await spareDatabase(), openMemoryStore()]
  await restoreRows(store, manifest, { db: database.db, migrations })
  const files = await restoreFiles(store, manifest, { objects, report: quiet })
  return { database, objects, files }
}

const digestsOf = ({ database }: FilledServer) => readSnapshot(database.options, digestTables)

test('a restored backup has every row and every file, and a server continues with it', async () => {
  const filled = await startFilledServer()
  const { store } = memoryBackups()
  const { manifest, files } = await backUp(filled, store)
  expect(files).toMatchObject({ missing: [], changed: [], list: { count: 4, missing: 0 } })
  expect(manifest.tables.filter(({ rows }) => rows > 0).length).toBeGreaterThan(20)

  const restored = await restore(store, manifest)
  expect(await digestTables(restored.database.db)).toEqual(await digestsOf(filled))
  expect(await keysIn(restored.objects)).toEqual(await keysIn(filled.objects, 'files/'))

  const second = await startServer({
    database: { db: restored.database.db, drop: async () => {} },
    objects: restored.objects,
  })
  const at = `/projects/${filled.project.id}`
  const id = await upload(second, filled.project, { name: 'third.txt', content: 'third' })
  expect(id).toBe(4)
  expect((await second.admin.get(`${at}/uploads/1`)).text).toBe('one content')
  const { body: found } = await second.admin.get('/topics?search=quoted')
  expect(found).toMatchObject([{ name: 'golang' }])
  const { body: vulnerabilities } = await second.admin.get(`${at}/vulnerabilities?search=injection`)
  expect(vulnerabilities).toHaveLength(1)
  // The triggers that raise versions of rows and fill search tables exist again.
  const renamed = await second.admin.put('/topics/1', { title: 'Ferrous' })
  expect(renamed.status).toBe(200)
  expect((await second.admin.get('/topics?search=ferrous')).body).toHaveLength(1)
})

test('a restored backup passes verification, and its references are valid', async () => {
  const filled = await startFilledServer()
  const { store } = memoryBackups()
  const { manifest } = await backUp(filled, store)
  expect(await verifyBackup(store, manifest, migrations)).toEqual([])
  const { database } = await restore(store, manifest)
  const orphan = sql`insert into uploads (project_id, object_key) values (99, 'x')`
  await expect(database.db.run(orphan)).rejects.toThrow()
})

test.runIf(onSqlite)('a second backup copies new files only, and stores unchanged rows once', async () => {
  const filled = await startFilledServer()
  const { store, objects } = memoryBackups()
  await backUp(filled, store)
  const before = await keysIn(objects, 'chunks/')
  await upload(filled.server, filled.project, { name: 'new.txt', content: 'new' })
  const reads: string[] = []
  const observed = observeReads(filled.objects, reads)
  const { manifest, files } = await backUp({ ...filled, objects: observed }, store)
  expect(files).toMatchObject({ copied: 1, copiedBytes: 3, list: { count: 5 } })
  expect(reads).toHaveLength(1)
  const added = (await keysIn(objects, 'chunks/')).filter((key) => !before.includes(key))
  expect(added.length).toBeLessThan(10)
  expect(await verifyBackup(store, manifest, migrations)).toEqual([])
})

test('tables of other programs are not restored', async () => {
  const filled = await startFilledServer()
  const { db } = filled.server.deps
  await db.transaction((tx) =>
    withScripts(tx).script('create table _litestream_seq (id integer primary key, seq integer)'),
  )
  const id = testEngine === 'sqlite' ? 'integer primary key autoincrement' : 'bigint generated always as identity'
  await db.transaction((tx) => withScripts(tx).script(`create table of_another_program (id ${id}, name text)`))
  await db.run(sql`insert into of_another_program (name) values ('theirs')`)
  await db.run(sql`insert into _litestream_seq (id, seq) values (1, 1)`)
  const { store } = memoryBackups()
  const { manifest } = await backUp(filled, store)
  expect(manifest.tables.map(({ name }) => name)).not.toContain('_litestream_seq')
  expect(await verifyBackup(store, manifest, migrations)).toEqual([])
  const { database } = await restore(store, manifest)
  const restored = await digestTables(database.db)
  expect(restored.has('of_another_program')).toBe(false)
  expect(restored.get('users')).toBe((await digestsOf(filled)).get('users'))
})

test.runIf(onSqlite)('equal files are stored once', async () => {
  const { store, objects } = memoryBackups()
  const { files } = await backUp(await startFilledServer(), store)
  expect(files.list.count).toBe(4)
  expect(await keysIn(objects, 'files/')).toHaveLength(3)
})

test.runIf(onSqlite)(
  'verification reports damaged and missing contents, and the next thorough backup stores them again',
  async () => {
    const filled = await startFilledServer()
    const { store, objects } = memoryBackups()
    const { manifest } = await backUp(filled, store)
    const [file = '', lost = ''] = await keysIn(objects, 'files/')
    const users = manifest.tables.find(({ name }) => name === 'users')?.chunks[0]
    await damage(objects, file)
    await damage(objects, `chunks/${users?.sha256}`)
    await objects.remove(lost)
    const problems = await verifyBackup(store, manifest, migrations)
    expect(problems.join('\n')).toContain(`chunks/${users?.sha256} of memory is damaged`)
    expect(problems.join('\n')).toContain(`${file} of memory is damaged`)
    expect(problems.join('\n')).toContain(`${lost} of memory is missing`)
    await expect(restore(store, manifest)).rejects.toThrow(/is damaged/)

    const { manifest: second } = await backUp(filled, store, { isThorough: true })
    expect(await verifyBackup(store, second, migrations)).toEqual([])
  },
)

test.runIf(onSqlite)('a damaged manifest is rejected, and the backup before it can be restored', async () => {
  const filled = await startFilledServer()
  const { store, objects } = memoryBackups()
  await backUp(filled, store)
  await backUp(filled, store)
  const [first = '', second = ''] = await store.listNames()
  await damage(objects, `manifests/${second}.json`)
  await expect(store.readManifest(second)).rejects.toThrow(/manifest of the backup .* is damaged/)
  expect(await verifyBackup(store, await store.readManifest(first), migrations)).toEqual([])
  await expect(pruneBackups(store, 1)).rejects.toThrow(/is damaged/)
  expect(await store.listNames()).toEqual([first, second])
})

test('pruning keeps the newest backups complete and removes what only older ones need', async () => {
  const filled = await startFilledServer()
  const { store, objects } = memoryBackups()
  await backUp(filled, store)
  const contents = await keysIn(objects, 'files/')
  await filled.server.admin.delete(`/projects/${filled.project.id}/uploads/2`)
  const { manifest: second } = await backUp(filled, store)
  await filled.server.deps.db.run(sql`delete from uploads where id = 2`)
  const { manifest: third } = await backUp(filled, store)
  expect(await pruneBackups(store, 2)).toMatchObject({ backups: 1 })
  expect(await keysIn(objects, 'files/')).toEqual(contents)
  expect(await pruneBackups(store, 1)).toMatchObject({ backups: 1 })
  expect(await keysIn(objects, 'files/')).toHaveLength(contents.length - 1)
  expect(await store.listNames()).toEqual([third.name])
  expect(await verifyBackup(store, third, migrations)).toEqual([])
  await expect(store.readManifest(second.name)).rejects.toThrow('there is no backup')
})

test('files that disappear during a backup are not in it, because the rows are read again', async () => {
  const filled = await startFilledServer()
  const { store } = memoryBackups()
  let isRemoved = false
  const vanishing: ObjectStore = {
    ...filled.objects,
    async open(key, range) {
      if (!isRemoved) {
        isRemoved = true
        // As the server does without retention: first the row, then the file.
        const doomed = await filled.server.deps.db.all<{ key: string }>(sql`select object_key as key from uploads`)
        await filled.server.deps.db.run(sql`delete from uploads`)
        for (const { key: gone } of doomed) await filled.objects.remove(gone)
      }
      return filled.objects.open(key, range)
    },
  }
  const { manifest, files } = await backUp({ ...filled, objects: vanishing }, store)
  expect(files).toMatchObject({ missing: [], list: { count: 1, missing: 0 } })
  expect(manifest.tables.find(({ name }) => name === 'uploads')?.rows).toBe(0)
})

test.runIf(onSqlite)('a file that was lost before the backup is reported and does not prevent it', async () => {
  const filled = await startFilledServer()
  const { store } = memoryBackups()
  const key = await keyOf(filled, 2)
  await filled.objects.remove(key)
  const { manifest, files } = await backUp(filled, store)
  expect(files).toMatchObject({ missing: [key], list: { count: 4, missing: 1 } })
  expect(await verifyBackup(store, manifest, migrations)).toEqual([])
  const { files: restored } = await restore(store, manifest)
  expect(restored.missing).toEqual([expect.stringContaining(key)])
})

test.runIf(onSqlite)('a file with another digest than recorded is backed up as it is', async () => {
  const filled = await startFilledServer()
  const { store } = memoryBackups()
  await damage(filled.objects, await keyOf(filled, 2))
  const { manifest, files } = await backUp(filled, store)
  expect(files).toMatchObject({ changed: ['upload 2'], missing: [] })
  expect(await verifyBackup(store, manifest, migrations)).toEqual([])
})

test.runIf(onSqlite)('a store that cannot be written leaves the previous backup as the newest', async () => {
  const filled = await startFilledServer()
  const { store, objects } = memoryBackups()
  const { manifest } = await backUp(filled, store)
  await upload(filled.server, filled.project, { name: 'new.txt', content: 'new' })
  const put = objects.put
  let writes = 0
  objects.put = async (key, body) => {
    if (!key.startsWith('lock/') && ++writes > 2) throw new Error('ENOSPC: no space left on device')
    return put(key, body)
  }
  await expect(backUp(filled, store)).rejects.toThrow('ENOSPC')
  objects.put = put
  expect(await store.listNames()).toEqual([manifest.name])
  expect(await verifyBackup(store, manifest, migrations)).toEqual([])
  expect((await backUp(filled, store)).files.list.count).toBe(5)
})

test('a second backup at the same time is refused', async () => {
  const filled = await startFilledServer()
  const { store, objects } = memoryBackups()
  const lock = await store.lock()
  await expect(backUp(filled, store)).rejects.toThrow('another backup to memory is under way')
  await lock.release()
  await backUp(filled, store)
  expect(await keysIn(objects, 'lock/')).toEqual([])
})

test('the lock of a process that no longer runs is ignored, and the one that lost its lock stops', async () => {
  const { store, objects } = memoryBackups()
  const lock = await store.lock()
  await lock.assertHeld()
  const [key = ''] = await keysIn(objects, 'lock/')
  const dead = JSON.parse((await contentOf(objects, key)).toString())
  await objects.put(key, streamOf(JSON.stringify({ ...dead, pid: 2 ** 30 })))
  const next = await store.lock()
  await expect(lock.assertHeld()).rejects.toThrow('another backup has taken the lock')
  await next.release()
})

/** Returns the key of an upload; the content of the second one is not that of another file. */
async function keyOf({ server }: FilledServer, id: number): Promise<string> {
  const rows = await server.deps.db.all<{ key: string }>(sql`select object_key as key from uploads where id = ${id}`)
  return rows[0]?.key ?? ''
}

function observeReads(objects: ObjectStore, reads: string[]): ObjectStore {
  return {
    ...objects,
    open(key, range) {
      reads.push(key)
      return objects.open(key, range)
    },
  }
}

async function damage(objects: ObjectStore, key: string): Promise<void> {
  const bytes = await contentOf(objects, key)
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
  await objects.put(key, streamOf(bytes))
}

async function contentOf(objects: ObjectStore, key: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of (await objects.open(key)) ?? []) pieces.push(piece as Buffer) // streams of bytes yield buffers
  return Buffer.concat(pieces)
}

async function* streamOf(content: string | Buffer): AsyncGenerator<Buffer> {
  yield Buffer.from(content)
}
