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

/** Small files are held in as little as they need. */
const firstBytes = 64 * 1024
/** On their way while the next one is filled. */
const partsAtOnce = 2

/**
 * Stores what arrives: by one request when it fits into a part, otherwise in parts, whose buffers are used again, so that
 * an object of any size takes the memory of three parts. Throws the body's own error, or `unavailable`; then nothing is
 * left, unless the store cannot be told: the sweep removes unfinished uploads. A request that fails does not wait for what
 * a slow sender sends next.
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

function grown(part: Buffer, mostBytes: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.min(mostBytes, part.length * 4))
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
  let hearFailure = (_error: unknown) => {}

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
      hearFailure(error)
    }
  }

  /** Takes the part, and gives a buffer for the next one as soon as there may be one. */
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
        hearFailure = reject
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

    /** What is on its way first: a part that comes after the end would begin another one. */
    async abort(): Promise<void> {
      if (id === undefined) return
      await Promise.all(underWay)
      await client.send(new AbortMultipartUploadCommand({ ...target, UploadId: id })).catch(() => {}) // then the sweep does
    },
  }
}
