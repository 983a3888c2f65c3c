import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { asked } from './s3-trouble.ts'

export interface Target {
  Bucket: string
  Key: string
}

/** Initial buffer size, so that small files use little memory. */
const firstBytes = 64 * 1024
/** Number of parts that are sent while the next one is filled. */
const partsAtOnce = 2

/**
 * Stores a body: in one request if it fits into a part, otherwise in parts with reused buffers, so that any object
 * takes the memory of three parts. Throws the body's own error, or `unavailable`, and deletes what was stored; if that
 * fails too, the orphan cleanup deletes unfinished uploads. A failed request does not wait for further data from a slow
 * client.
 */
export async function putObject(
  client: S3Client,
  target: Target,
  body: AsyncIterable<Buffer>,
  partBytes: number,
): Promise<void> {
  const chunks = body[Symbol.asyncIterator]()
  const upload = openUpload(client, target, partBytes)
  let part: Buffer = Buffer.allocUnsafeSlow(Math.min(firstBytes, partBytes))
  let filled = 0
  try {
    for (;;) {
      const { value: chunk, done } = await upload.unlessItFails(() => chunks.next())
      if (done) break
      for (let from = 0; from < chunk.length; ) {
        if (filled === partBytes) {
          part = await upload.send(part)
          filled = 0
        } else if (filled === part.length) part = grown(part, partBytes)
        const copied = chunk.copy(part, filled, from)
        filled += copied
        from += copied
      }
    }
    await upload.end(part.subarray(0, filled))
  } catch (error) {
    await upload.abort()
    throw error
  }
}

function grown(part: Buffer, maxBytes: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, part.length * 4))
  part.copy(larger)
  return larger
}

function openUpload(client: S3Client, target: Target, partBytes: number) {
  const parts: CompletedPart[] = []
  const underWay = new Set<Promise<void>>()
  const spare: Buffer[] = []
  let id: string | undefined
  let sent = 0
  let failure: { error: unknown } | undefined
  let rejectPending = (_error: unknown) => {}

  async function start(): Promise<string> {
    const { UploadId } = await asked(client.send(new CreateMultipartUploadCommand(target)))
    if (UploadId === undefined) throw new Error('the bucket began an upload without an id')
    return UploadId
  }

  async function sendPart(UploadId: string, PartNumber: number, bytes: Buffer): Promise<void> {
    try {
      const part = { ...target, UploadId, PartNumber, Body: bytes, ContentLength: bytes.length }
      const { ETag } = await asked(client.send(new UploadPartCommand(part)))
      parts.push({ PartNumber, ETag })
    } catch (error) {
      failure ??= { error }
      rejectPending(error)
    }
  }

  /** Sends a part, and returns a buffer for the next one as soon as one is free. */
  async function send(part: Buffer): Promise<Buffer> {
    id ??= await start()
    while (underWay.size >= partsAtOnce) await Promise.race(underWay)
    if (failure) throw failure.error
    const sending = sendPart(id, ++sent, part).finally(() => {
      underWay.delete(sending)
      if (part.length === partBytes) spare.push(part)
    })
    underWay.add(sending)
    return spare.pop() ?? Buffer.allocUnsafeSlow(partBytes)
  }

  return {
    send,

    unlessItFails<T>(work: () => Promise<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        rejectPending = reject
        if (failure) reject(failure.error)
        else work().then(resolve, reject)
      })
    },

    async end(rest: Buffer): Promise<void> {
      if (id === undefined) {
        await asked(client.send(new PutObjectCommand({ ...target, Body: rest, ContentLength: rest.length })))
        return
      }
      if (rest.length > 0) await send(rest)
      await Promise.all(underWay)
      if (failure) throw failure.error
      const Parts = parts.sort((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0))
      const whole = { ...target, UploadId: id, MultipartUpload: { Parts } }
      await asked(client.send(new CompleteMultipartUploadCommand(whole)))
    },

    /** Waits for the pending parts first, because a part that arrives after the abort would create a new upload. */
    async abort(): Promise<void> {
      if (id === undefined) return
      await Promise.all(underWay)
      // the orphan cleanup deletes it
      await client.send(new AbortMultipartUploadCommand({ ...target, UploadId: id })).catch(() => {})
    },
  }
}
