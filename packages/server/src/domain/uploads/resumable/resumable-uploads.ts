import { Readable } from 'node:stream'
import { perDatabase } from '../../../db/cache.ts'
import {
  conflict,
  invalid,
  limitReached,
  mayHaveCommitted,
  notFound,
  parameterProblem,
  tooLarge,
} from '../../../platform/failure.ts'
import { newObjectKey } from '../../../platform/object-store/key.ts'
import type { ReceivedFile } from '../../../platform/object-store/objects.ts'
import { piecesOf } from '../../../platform/object-store/pieces.ts'
import { receiveFile } from '../../../platform/object-store/receive.ts'
import { type Deps, type RootDeps, transaction } from '../../deps.ts'
import { openIntact } from '../../files/intact.ts'
import { markForDeletion } from '../../files/pending-deletions.ts'
import { metadataStripper, temporaryFolder } from '../../files/strip-metadata.ts'
import type { UploadOwner } from '../owner.ts'
import type { Upload } from '../upload.ts'
import { findUpload } from '../upload-queries.ts'
import { createUpload, lockRoomFor, type Uploader } from '../uploads.ts'
import type { ResumableUpload, UploadPart } from './resumable-upload.ts'
import {
  addReceived,
  countUnfinished,
  deleteResumable,
  findResumable,
  finishResumable,
  insertPart,
  insertResumable,
  listExpired,
  listParts,
} from './resumable-upload-queries.ts'

/** Time after which an unfinished upload is removed unless more of it arrives. */
const lifetimeMs = 24 * 60 * 60 * 1000
/** Maximum number of unfinished uploads of one user. */
const maxUnfinished = 50
/** Maximum size of a stored part. A broken connection loses none of the bytes that arrived. */
const maxPartBytes = 16 * 1024 * 1024

const expiry = ({ now }: Deps) => new Date(Date.parse(now()) + lifetimeMs).toISOString()

/**
 * Begins an upload. Its size must fit into the limits of the owner, counts towards the quota from now on, and is checked
 * again at its end.
 */
export async function beginUpload(
  deps: RootDeps,
  owner: UploadOwner,
  uploader: Uploader,
  { filename, bytes }: { filename: string; bytes: number },
): Promise<ResumableUpload> {
  if (filename.trim() === '') throw invalid({ filename: ["can't be blank"] })
  const userId = uploader.user.id
  if ((await countUnfinished(deps.db, userId, deps.now())) >= maxUnfinished) {
    throw limitReached(`${maxUnfinished} uploads are unfinished; finish or delete one of them`)
  }
  const draft = {
    owner: { kind: owner.kind, id: owner.id },
    userId,
    uploadKey: deps.random(16).toString('hex'),
    filename,
    totalBytes: bytes,
    receivedBytes: 0,
    createdAt: deps.now(),
    expiresAt: expiry(deps),
    uploadId: null,
  }
  const begun = await transaction(deps, async (deps) => {
    const { maxBytes, sentence } = await lockRoomFor(deps, owner, uploader.isMember)
    if (bytes > maxBytes) throw tooLarge(sentence)
    return { ...draft, id: await insertResumable(deps.db, draft, !uploader.isMember) }
  })
  if (bytes > 0) return begun
  return finish(deps, { owner, uploader, begun }, undefined)
}

/** Returns an unfinished or recently finished upload of this user. */
export async function getResumable(
  deps: Deps,
  owner: UploadOwner,
  userId: number,
  uploadKey: string,
): Promise<ResumableUpload> {
  const found = await findResumable(deps.db, owner, { uploadKey, userId, now: deps.now() })
  if (!found) throw notFound()
  return found
}

/** Returns the finished upload, if it is finished. */
export async function findFinished({ db }: Deps, { uploadId, owner }: ResumableUpload): Promise<Upload | undefined> {
  return uploadId === null ? undefined : findUpload(db, { ...owner }, uploadId)
}

interface Continued {
  owner: UploadOwner
  uploader: Uploader
  begun: ResumableUpload
}

/**
 * Stores the bytes of a request, which begin at `offset`, and finishes the upload with its last byte. What has arrived
 * before a connection breaks is kept. Returns the new state.
 */
export async function continueUpload(
  deps: RootDeps,
  continued: Continued,
  offset: number,
  body: AsyncIterable<Buffer>,
): Promise<ResumableUpload> {
  const { begun } = continued
  if (begun.uploadId !== null || offset !== begun.receivedBytes) throw wrongOffset(begun)
  const source = openSource(body)
  let current = begun
  while (current.receivedBytes < current.totalBytes && (await source.hasMore())) {
    const maxBytes = Math.min(maxPartBytes, current.totalBytes - current.receivedBytes)
    const options = { filename: begun.filename, maxBytes, newKey: () => newObjectKey(deps) }
    const part = await receiveFile(deps.objects, source.part(maxBytes), options)
    try {
      current = await commitPart(deps, { ...continued, begun: current }, part)
    } catch (error) {
      await discard(deps, part, error)
      throw error
    }
  }
  if (source.failure) throw source.failure
  if (await source.hasMore()) throw tooManyBytes()
  return current
}

/** Removes a stored file after an error, unless a row may refer to it. Then it is left to the orphan cleanup. */
async function discard(deps: RootDeps, file: ReceivedFile, error: unknown): Promise<void> {
  if (!mayHaveCommitted(error)) await remove(deps, file)
}

/** Removes a file without a row. What cannot be removed now is left to the orphan cleanup. */
const remove = ({ objects }: RootDeps, { key }: ReceivedFile): Promise<void> => objects.remove(key).catch(() => {})

export const tooManyBytes = () => parameterProblem('the request has more bytes than Upload-Length announced')

function wrongOffset({ receivedBytes }: ResumableUpload) {
  return conflict(`the upload continues at byte ${receivedBytes}`)
}

/** Records a stored part. The last one counts only together with the finished upload, so that a failure repeats it. */
async function commitPart(deps: RootDeps, continued: Continued, file: ReceivedFile): Promise<ResumableUpload> {
  const { begun } = continued
  const part = { startByte: begun.receivedBytes, bytes: file.bytes, sha256: file.sha256, objectKey: file.key }
  if (part.startByte + part.bytes === begun.totalBytes) {
    const finished = await finish(deps, continued, part)
    await remove(deps, file)
    return finished
  }
  const expiresAt = expiry(deps)
  await transaction(deps, async (deps) => {
    const counted = await addReceived(deps.db, begun.id, { from: part.startByte, bytes: part.bytes, expiresAt })
    if (!counted) throw conflict('another request continues this upload')
    await insertPart(deps.db, begun.id, part)
  })
  return { ...begun, receivedBytes: part.startByte + part.bytes, expiresAt }
}

/** Uploads that this process is finishing. */
const finishing = perDatabase(() => new Set<number>())

/** Finishes an upload once at a time, because each attempt stores the whole file. */
async function finish(deps: RootDeps, continued: Continued, last: UploadPart | undefined): Promise<ResumableUpload> {
  const { id } = continued.begun
  const ids = finishing(deps.db)
  if (ids.has(id)) throw conflict('another request finishes this upload')
  ids.add(id)
  try {
    return await assemble(deps, continued, last)
  } finally {
    ids.delete(id)
  }
}

/** Makes the parts one file, in the same way as a file that arrives whole, and the file an upload. */
async function assemble(
  deps: RootDeps,
  { owner, uploader, begun }: Continued,
  last: UploadPart | undefined,
): Promise<ResumableUpload> {
  const parts = [...(await listParts(deps.db, begun.id)), ...(last ? [last] : [])]
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
  if (bytes !== begun.totalBytes) throw conflict('another request continues this upload')
  const file = await receiveFile(deps.objects, readParts(deps, parts), {
    filename: begun.filename,
    maxBytes: begun.totalBytes,
    newKey: () => newObjectKey(deps),
    transform: metadataStripper(temporaryFolder(deps.settings)),
  })
  try {
    const expiresAt = expiry(deps)
    const upload = await transaction(deps, async (deps) => {
      const received = { from: begun.receivedBytes, bytes: last?.bytes ?? 0, expiresAt }
      if (!(await addReceived(deps.db, begun.id, received))) throw conflict('another request continues this upload')
      const upload = await createUpload(deps, owner, uploader, file)
      await markForDeletion(deps, await finishResumable(deps.db, begun.id, upload.id))
      return upload
    })
    return { ...begun, receivedBytes: begun.totalBytes, expiresAt, uploadId: upload.id }
  } catch (error) {
    await discard(deps, file, error)
    throw error
  }
}

/** Reads the parts in order, compared with their recorded hashes. */
async function* readParts(deps: RootDeps, parts: readonly UploadPart[]): AsyncGenerator<Buffer, void> {
  for (const { objectKey, bytes, sha256 } of parts) {
    const opened = await openIntact(deps, { key: objectKey, bytes, sha256 })
    if (!opened) throw new Error('a stored part of an upload is missing')
    if (Buffer.isBuffer(opened)) {
      yield opened
      continue
    }
    const pieces = opened instanceof Readable ? piecesOf(opened) : opened
    try {
      let left = bytes
      for (let piece = await pieces.next(left + 1); piece; piece = await pieces.next(left + 1)) {
        left -= piece.length
        yield Buffer.from(piece) // a piece is valid until the next one is read
        if (left === 0) break
      }
      if (left !== 0) throw new Error('a stored part of an upload has another length than its record says')
    } finally {
      pieces.close()
    }
  }
}

/** Splits a body into parts. A part ends normally where the body breaks off; the error is in `failure`. */
function openSource(body: AsyncIterable<Buffer>) {
  const chunks = body[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  let hasEnded = false
  const source = {
    failure: undefined as unknown,
    async hasMore(): Promise<boolean> {
      while (held.length === 0 && !hasEnded) {
        try {
          const { value, done } = await chunks.next()
          if (done) hasEnded = true
          else held = value
        } catch (error) {
          source.failure = error
          hasEnded = true
        }
      }
      return held.length > 0
    },
    async *part(maxBytes: number): AsyncGenerator<Buffer, void> {
      for (let left = maxBytes; left > 0 && (await source.hasMore()); ) {
        const piece = held.subarray(0, left)
        held = held.subarray(piece.length)
        left -= piece.length
        yield piece
      }
    },
  }
  return source
}

/** Ends an unfinished upload and removes what has arrived. The file of a finished one stays. */
export function endUpload(deps: Deps, { id }: ResumableUpload): Promise<void> {
  return transaction(deps, async (deps) => {
    const keys = await deleteResumable(deps.db, id)
    if (!keys) throw notFound()
    await markForDeletion(deps, keys)
  })
}

const batchSize = 100

/** Removes unfinished uploads that have expired, and records of finished ones. */
export async function removeExpiredUploads(deps: Deps): Promise<void> {
  for (let taken = batchSize; taken === batchSize; ) {
    const expired = await listExpired(deps.db, deps.now(), batchSize)
    for (const { id } of expired) {
      await transaction(deps, async (deps) => {
        await markForDeletion(deps, (await deleteResumable(deps.db, id)) ?? [])
      })
    }
    taken = expired.length
  }
}
