import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type MultipartUpload,
  S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { S3Settings } from '../settings.ts'
import { heardLater, letGo } from './bytes.ts'
import { assertKey, isKey } from './key.ts'
import type { ObjectStore } from './objects.ts'
import { putObject } from './s3-put.ts'
import { asked, readUnlessSilent } from './s3-trouble.ts'

export interface S3Limits {
  /** Of a larger object than this the store may refuse the end. */
  maxObjectBytes: number
  connectMs: number
  /** Until an answer begins, with nothing to send. */
  answerMs: number
  /** The same, with a part to send, or all of them to join. */
  sendMs: number
  /** Between two pieces of an object, while somebody waits for the next. */
  silenceMs: number
  /** How many objects one answer lists at most. */
  pageSize: number
}

const standardLimits: S3Limits = {
  maxObjectBytes: 0,
  connectMs: 3_000,
  answerMs: 10_000,
  sendMs: 60_000,
  silenceMs: 30_000,
  pageSize: 1_000,
}

/** S3's own limits for an upload in parts. */
const leastPartBytes = 5 * 1024 * 1024
const maxParts = 10_000

/** Objects in a bucket. The SDK takes long to load: import this file only when there is a bucket. */
export function openS3Store(settings: S3Settings, limits: Partial<S3Limits> = {}): ObjectStore {
  const { maxObjectBytes, answerMs, silenceMs, pageSize, ...sending } = { ...standardLimits, ...limits }
  const client = openClient(settings, sending)
  const { bucket: Bucket } = settings
  const partBytes = Math.max(leastPartBytes, Math.ceil(maxObjectBytes / maxParts))
  const soon = { requestTimeout: answerMs }

  return {
    async put(key, body) {
      heardLater(body)
      assertKey(key)
      try {
        await putObject(client, { Bucket, Key: key }, body, partBytes)
      } catch (error) {
        letGo(body)
        throw error
      }
    },

    async open(key, range) {
      assertKey(key)
      const Range = range && `bytes=${range.start}-${range.end}`
      const missing = { NoSuchKey: undefined, InvalidRange: { Body: Readable.from([]) } }
      const answer = await asked(client.send(new GetObjectCommand({ Bucket, Key: key, Range }), soon), missing)
      return answer && readUnlessSilent(answer.Body as Readable, silenceMs) // in Node it is one
    },

    async remove(key) {
      assertKey(key)
      await asked(client.send(new DeleteObjectCommand({ Bucket, Key: key }), soon), { NoSuchKey: undefined })
    },

    async *list(Prefix) {
      let token: string | undefined
      do {
        const input = { Bucket, Prefix, MaxKeys: pageSize, ContinuationToken: token }
        const page = await asked(client.send(new ListObjectsV2Command(input), soon))
        for (const { Key: key, Size: bytes, LastModified: modifiedAt } of page.Contents ?? []) {
          // What has another kind of name was put there by somebody else.
          if (key && isKey(key) && bytes !== undefined && modifiedAt) yield { key, bytes, modifiedAt }
        }
        token = page.IsTruncated ? page.NextContinuationToken : undefined
      } while (token)
    },

    async removeUnfinished(prefix, before) {
      let removed = 0
      for await (const { Key, UploadId, Initiated } of uploadsUnderWay(prefix)) {
        if (!Initiated || Initiated >= before) continue
        const abort = new AbortMultipartUploadCommand({ Bucket, Key, UploadId })
        await asked(client.send(abort, soon), { NoSuchUpload: undefined }) // another process was faster
        removed++
      }
      return removed
    },

    async signedUrl(key, { contentType, disposition, expiresInSeconds: expiresIn }) {
      assertKey(key)
      const answer = { ResponseContentType: contentType, ResponseContentDisposition: disposition }
      return asked(getSignedUrl(client, new GetObjectCommand({ Bucket, Key: key, ...answer }), { expiresIn }))
    },

    async ready() {
      await asked(client.send(new HeadBucketCommand({ Bucket }), { abortSignal: AbortSignal.timeout(answerMs) }))
    },

    async close() {
      client.destroy()
    },
  }

  async function* uploadsUnderWay(Prefix: string): AsyncIterable<MultipartUpload> {
    let KeyMarker: string | undefined
    let UploadIdMarker: string | undefined
    do {
      const input = { Bucket, Prefix, MaxUploads: pageSize, KeyMarker, UploadIdMarker }
      // A server without such a list has to look after itself.
      const none = { NotImplemented: undefined }
      const page = await asked(client.send(new ListMultipartUploadsCommand(input), soon), none)
      if (!page) return
      yield* page.Uploads ?? []
      KeyMarker = page.IsTruncated ? page.NextKeyMarker : undefined
      UploadIdMarker = page.NextUploadIdMarker
    } while (KeyMarker)
  }
}

function openClient(
  { endpoint, region, keys }: S3Settings,
  { connectMs, sendMs }: Pick<S3Limits, 'connectMs' | 'sendMs'>,
): S3Client {
  // Each download holds a connection for as long as its client takes; nobody else must wait for one.
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY }
  return new S3Client({
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(keys && { credentials: { accessKeyId: keys.access, secretAccessKey: keys.secret } }),
    // Servers other than AWS refuse the checksums that newer clients add, or store them inside the object.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false, // would cost a new connection and a round trip for each part
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: sendMs,
      throwOnRequestTimeout: true,
      socketTimeout: 0, // would count the time that a slow client takes to read
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
}
