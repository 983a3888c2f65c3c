import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { Readable } from 'node:stream'
import { Failure, reasonOf } from '../../platform/failure.ts'
import type { ObjectInfo, ObjectStore } from '../../platform/object-store/objects.ts'
import { readBytes } from '../../platform/object-store/read-whole.ts'
import { BackupProblem, type Chunk, type Manifest } from './backup.ts'

/**
 * Folder or bucket with backups. `chunks/` and `files/` hold contents, each named by its SHA-256 and shared by all
 * backups; `manifests/` holds one object per complete backup.
 */
export interface BackupStore {
  /** Description for messages: a folder or an address. */
  readonly place: string
  /** Returns the names of the complete backups, oldest first. */
  listNames(): Promise<string[]>
  /** Throws `BackupProblem` when the backup does not exist or its manifest is damaged. */
  readManifest(name: string): Promise<Manifest>
  writeManifest(manifest: Manifest): Promise<void>
  removeManifest(name: string): Promise<void>
  /** Reads which contents exist, so that they need not be stored again. `known` are the chunks of an earlier backup. */
  loadContents(known?: readonly Chunk[]): Promise<void>
  /** Returns a chunk of an earlier backup that exists with the same size. */
  knownChunk(sha256: string): Chunk | undefined
  putChunk(sha256: string, bytes: Buffer): Promise<void>
  readChunk(sha256: string): Promise<Buffer | undefined>
  hasFile(sha256: string, bytes: number): boolean
  /** Stores a content. Throws `WrongContent`, and stores nothing, when it has another hash. */
  putFile(sha256: string, content: Readable): Promise<number>
  openFile(sha256: string): Promise<Readable | undefined>
  /** Removes contents that no manifest needs. Returns their number and size. */
  removeContents(isNeeded: (kind: ContentKind, sha256: string) => boolean): Promise<{ count: number; bytes: number }>
  /** Throws at once when another backup to this place is under way. */
  lock(): Promise<BackupLock>
  close(): Promise<void>
}

type ContentKind = 'chunks' | 'files'

interface BackupLock {
  /** Throws when another process has taken the lock, because this one did not run for minutes. */
  assertHeld(): Promise<void>
  release(): Promise<void>
}

/** The content of a file is not that of its hash. */
export class WrongContent extends Error {}

const manifestPrefix = 'manifests/'
const lockPrefix = 'lock/'
const refreshMs = 60_000
/** Age at which a lock counts as left over. Both times are those of the store. */
const staleMs = 5 * refreshMs

export function openBackupStore(unnamed: ObjectStore, place: string): BackupStore {
  const objects = namingFailures(unnamed, place)
  const contents = new Map<string, number>()
  let knownChunks = new Map<string, Chunk>()
  const manifestKey = (name: string) => `${manifestPrefix}${name}.json`

  return {
    place,
    async listNames() {
      const names: string[] = []
      for await (const { key } of objects.list(manifestPrefix)) {
        if (key.endsWith('.json')) names.push(key.slice(manifestPrefix.length, -'.json'.length))
      }
      return names.sort()
    },
    async readManifest(name) {
      const stored = await readAll(objects, manifestKey(name))
      if (!stored) throw new BackupProblem(`there is no backup ${name} in ${place}`)
      return parseManifest(name, stored)
    },
    async writeManifest(manifest) {
      const text = JSON.stringify(manifest)
      const sealed = `${JSON.stringify({ sha256: digestOf(text) })}\n${text}\n`
      await objects.put(manifestKey(manifest.name), streamOf(Buffer.from(sealed)))
    },
    removeManifest: (name) => objects.remove(manifestKey(name)),
    async loadContents(known = []) {
      contents.clear()
      for (const prefix of ['chunks/', 'files/']) {
        for await (const { key, bytes } of objects.list(prefix)) contents.set(key, bytes)
      }
      knownChunks = new Map(known.map((chunk) => [chunk.sha256, chunk]))
    },
    knownChunk(sha256) {
      const known = knownChunks.get(sha256)
      return known && contents.get(`chunks/${sha256}`) === known.bytes ? known : undefined
    },
    async putChunk(sha256, bytes) {
      await objects.put(`chunks/${sha256}`, streamOf(bytes))
      const chunk = { sha256, bytes: bytes.length }
      contents.set(`chunks/${sha256}`, bytes.length)
      knownChunks.set(sha256, chunk)
    },
    readChunk: (sha256) => readAll(objects, `chunks/${sha256}`),
    hasFile: (sha256, bytes) => contents.get(`files/${sha256}`) === bytes,
    async putFile(sha256, content) {
      const counted = { bytes: 0 }
      try {
        await objects.put(`files/${sha256}`, Readable.from(checked(content, sha256, counted), { objectMode: false }))
      } finally {
        content.on('error', () => {}).destroy()
      }
      contents.set(`files/${sha256}`, counted.bytes)
      return counted.bytes
    },
    openFile: (sha256) => objects.open(`files/${sha256}`),
    async removeContents(isNeeded) {
      const removed = { count: 0, bytes: 0 }
      for (const kind of ['chunks', 'files'] as const) {
        for await (const { key, bytes } of objects.list(`${kind}/`)) {
          if (isNeeded(kind, key.slice(kind.length + 1))) continue
          await objects.remove(key)
          removed.count++
          removed.bytes += bytes
        }
      }
      return removed
    },
    lock: () => takeLock(objects, place),
    close: () => objects.close(),
  }
}

/** Names the place in errors, since a backup uses two stores. */
function namingFailures(objects: ObjectStore, place: string): ObjectStore {
  const fail = (error: unknown): never => {
    throw error instanceof Failure ? new Error(`${place}: ${reasonOf(error)}`, { cause: error }) : error
  }
  return {
    ...objects,
    put: (key, body) => objects.put(key, body).catch(fail),
    open: (key, range) => objects.open(key, range).catch(fail),
    remove: (key) => objects.remove(key).catch(fail),
  }
}

function parseManifest(name: string, stored: Buffer): Manifest {
  const [seal = '', text = ''] = stored.toString().split('\n')
  if (seal !== JSON.stringify({ sha256: digestOf(text) })) {
    throw new BackupProblem(`the manifest of the backup ${name} is damaged; use another backup`)
  }
  const manifest = JSON.parse(text) as { format: number } // its hash is right, so this program wrote it
  if (manifest.format !== 1) {
    throw new BackupProblem(`the backup ${name} has the format ${manifest.format}; use a newer version of Alcove`)
  }
  return manifest as Manifest // of the only format
}

/** Yields the content, and throws at the end when it does not have the hash, so that the store drops it. */
export async function* checked(content: Readable, sha256: string, counted = { bytes: 0 }): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const piece of content as AsyncIterable<Buffer>) {
    // streams of bytes yield buffers
    hash.update(piece)
    counted.bytes += piece.length
    yield piece
  }
  if (hash.digest('hex') !== sha256) throw new WrongContent('the content has another hash')
}

/** Reads the content. Returns its number of bytes, or `undefined` when it does not have the hash. */
export async function sizeIfRight(content: Readable, sha256: string): Promise<number | undefined> {
  const counted = { bytes: 0 }
  try {
    for await (const _ of checked(content, sha256, counted));
    return counted.bytes
  } catch (error) {
    if (error instanceof WrongContent) return undefined
    throw error
  }
}

async function readAll(objects: ObjectStore, key: string): Promise<Buffer | undefined> {
  const stream = await objects.open(key)
  return stream && readBytes(stream)
}

const streamOf = (bytes: Buffer) => Readable.from([bytes], { objectMode: false })
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * Takes the lock: writes an object, and gives way when there is another one that is not left over. Of two processes at
 * the same time at least one gives way. A process of this machine that no longer runs has left its lock over.
 */
async function takeLock(objects: ObjectStore, place: string): Promise<BackupLock> {
  const key = `${lockPrefix}${randomBytes(8).toString('hex')}`
  const owner = Buffer.from(JSON.stringify({ host: hostname(), pid: process.pid }))
  const write = () => objects.put(key, streamOf(owner))
  await write()
  const locks: ObjectInfo[] = []
  for await (const lock of objects.list(lockPrefix)) locks.push(lock)
  const writtenAt = locks.find((lock) => lock.key === key)?.modifiedAt.getTime() ?? Date.now()
  for (const lock of locks) {
    if (lock.key === key) continue
    const isLeft = writtenAt - lock.modifiedAt.getTime() > staleMs || (await isOfDeadProcess(objects, lock.key))
    if (!isLeft) {
      await objects.remove(key)
      throw new Error(
        `another backup to ${place} is under way, or one on another machine was killed within the last 5 minutes`,
      )
    }
    await objects.remove(lock.key)
  }
  const timer = setInterval(() => void write().catch(() => {}), refreshMs).unref()
  return {
    async assertHeld() {
      const stream = await objects.open(key)
      stream?.on('error', () => {}).destroy()
      if (!stream) throw new Error('another backup has taken the lock of this one; run it again')
    },
    async release() {
      clearInterval(timer)
      await objects.remove(key)
    },
  }
}

async function isOfDeadProcess(objects: ObjectStore, key: string): Promise<boolean> {
  try {
    const { host, pid } = JSON.parse((await readAll(objects, key))?.toString() ?? '')
    if (host !== hostname() || !Number.isInteger(pid)) return false
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
