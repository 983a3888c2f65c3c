import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ObjectStore } from './objects.ts'

export interface CopyProgress {
  copied: number
  copiedBytes: number
  /** Objects that the target already had, with the same content. */
  skipped: number
  /** Objects that were deleted before they could be copied. */
  vanished: number
  failed: number
}

export interface CopyOptions {
  concurrency: number
  onProgress?(progress: Readonly<CopyProgress>): void
  onFailure(key: string, error: unknown): void
}

/** Maximum number of consecutive failures, after which the copy is aborted. */
const maxFailuresInARow = 20

/**
 * Copies every object of one store to another, while both may be in use. Skips objects that the target already has with
 * the same content, so that an interrupted copy can be continued. An object counts as copied once its content was read
 * back.
 */
export async function copyObjects(from: ObjectStore, to: ObjectStore, options: CopyOptions): Promise<CopyProgress> {
  const progress: CopyProgress = { copied: 0, copiedBytes: 0, skipped: 0, vanished: 0, failed: 0 }
  const objects = from.list('')[Symbol.asyncIterator]() // shared by all workers
  let failuresInARow = 0

  const work = async () => {
    while (failuresInARow < maxFailuresInARow) {
      const { done, value: object } = await objects.next()
      if (done) return
      try {
        const outcome = await copyObject(from, to, object.key)
        progress[outcome]++
        if (outcome === 'copied') progress.copiedBytes += object.bytes
        failuresInARow = 0
      } catch (error) {
        progress.failed++
        failuresInARow++
        options.onFailure(object.key, error)
      }
      options.onProgress?.(progress)
    }
    throw new Error(`stopped after ${maxFailuresInARow} failures in a row`)
  }
  const ended = await Promise.allSettled(Array.from({ length: options.concurrency }, work))
  const broken = ended.find((end) => end.status === 'rejected')
  if (broken) throw broken.reason
  return progress
}

async function copyObject(from: ObjectStore, to: ObjectStore, key: string): Promise<'copied' | 'skipped' | 'vanished'> {
  const there = await digestOf(to, key)
  if (there !== undefined && there === (await digestOf(from, key))) return 'skipped'
  const sent = await sendObject(from, to, key)
  if (sent === undefined) return 'vanished'
  const kept = await digestOf(to, key)
  if (kept === sent) return 'copied'
  // The object may have been deleted by a user of the stores, and is no longer needed.
  if (kept === undefined && (await digestOf(from, key)) === undefined) return 'vanished'
  await to.remove(key)
  throw new Error(kept === undefined ? 'it was not there after it had been stored' : 'it came back with other bytes')
}

/** Sends an object and returns its hash; `undefined` when the object does not exist. */
async function sendObject(from: ObjectStore, to: ObjectStore, key: string): Promise<string | undefined> {
  const source = await from.open(key)
  if (!source) return undefined
  const hash = createHash('sha256')
  try {
    await to.put(key, Readable.from(hashing(source, hash), { objectMode: false }))
  } finally {
    source.on('error', () => {}).destroy()
  }
  return hash.digest('hex')
}

async function* hashing(source: Readable, hash: Hash): AsyncIterable<Buffer> {
  for await (const chunk of source) {
    hash.update(chunk)
    yield chunk
  }
}

async function digestOf(store: ObjectStore, key: string): Promise<string | undefined> {
  const stream = await store.open(key)
  if (!stream) return undefined
  const hash = createHash('sha256')
  for await (const chunk of stream) hash.update(chunk)
  return hash.digest('hex')
}
