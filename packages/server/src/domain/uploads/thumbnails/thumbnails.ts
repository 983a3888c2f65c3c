import { notFound } from '../../../platform/failure.ts'
import { readBytes } from '../../../platform/object-store/read-whole.ts'
import type { RootDeps } from '../../deps.ts'
import { detectImageType } from '../../files/image-type.ts'
import { openIntact } from '../../files/intact.ts'
import { assertReadable } from '../scans/readable.ts'
import type { Upload } from '../upload.ts'
import { canDraw, drawThumbnail } from './draw-thumbnail.ts'

/** Maximum size of a file of which a thumbnail is drawn. */
const maxBytes = 32 * 1024 * 1024
/** Maximum number of pictures that wait to be drawn in this process. */
const maxWaiting = 50
const dayMs = 24 * 60 * 60 * 1000
/** Number of days after which a stored thumbnail is removed, to be drawn again when it is requested. */
const keptDays = 7

const prefix = 'thumbnails/'
let waiting = 0

/** Returns the thumbnail of an upload as WebP. Throws `notFound` for files without one. */
export async function readThumbnail(deps: RootDeps, upload: Upload): Promise<Buffer> {
  assertReadable(deps, upload)
  if (upload.bytes === 0 || upload.bytes > maxBytes) throw notFound()
  const key = `${prefix}${upload.sha256}.webp`
  const stored = await deps.objects.open(key)
  if (stored) return readBytes(stored)
  if (!(await isPicture(deps, upload)) || waiting >= maxWaiting) throw notFound()
  waiting += 1
  try {
    const thumbnail = await drawThumbnail(() => readUpload(deps, upload))
    if (!thumbnail) throw notFound()
    // The response does not depend on the cache, such as while the disk is full.
    await deps.objects.put(key, oneChunk(thumbnail)).catch((error: unknown) => {
      deps.log.warn({ err: error }, 'a thumbnail was not stored')
    })
    return thumbnail
  } finally {
    waiting -= 1
  }
}

async function isPicture(deps: RootDeps, { objectKey, bytes }: Upload): Promise<boolean> {
  const start = await deps.objects.open(objectKey, { start: 0, end: Math.min(bytes, 32) - 1 })
  return start !== undefined && canDraw(detectImageType(await readBytes(start)))
}

async function readUpload(deps: RootDeps, { objectKey: key, bytes, sha256 }: Upload): Promise<Buffer> {
  const opened = await openIntact(deps, { key, bytes, sha256 })
  if (!opened) throw notFound()
  if (Buffer.isBuffer(opened)) return opened
  const read: Buffer[] = []
  try {
    for (let left = bytes; left > 0; ) {
      const piece = await opened.next(left + 1)
      if (!piece) throw new Error('a stored picture is shorter than its record says')
      left -= piece.length
      read.push(Buffer.from(piece)) // a piece is valid until the next one is read
    }
  } finally {
    opened.close()
  }
  return Buffer.concat(read)
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Buffer, void> {
  yield bytes
}

/** Removes thumbnails that were drawn some days ago, which bounds the space they take. */
export async function removeOldThumbnails({ objects, now }: RootDeps): Promise<void> {
  const before = Date.parse(now()) - keptDays * dayMs
  for await (const { key, modifiedAt } of objects.list(prefix)) {
    if (modifiedAt.getTime() < before) await objects.remove(key)
  }
}
