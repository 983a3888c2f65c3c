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
import type { S3Settings } from '../settings/settings.ts'
import { discard, suppressUnhandledError } from './bytes.ts'
import { assertKey, isKey } from './key.ts'
import type { ObjectStore } from './objects.ts'
import { putObject } from './s3-put.ts'
import { asked, readUnlessSilent } from './s3-trouble.ts'

export interface S3Limits {
  /** Maximum object size. Larger objects may exceed the maximum number of parts. */
  maxObjectBytes: number
  connectMs: number
  /** Timeout until a response begins, for requests without a body. */
  responseTimeoutMs: number
  /** Timeout until a response begins, for sending or joining parts. */
  sendMs: number
  /** Timeout between two chunks of an object while a reader is waiting. */
  silenceMs: number
  /** Maximum number of objects per listing request. */
  pageSize: number
}

const standardLimits: S3Limits = {
  maxObjectBytes: 0,
  connectMs: 3_000,
  responseTimeoutMs: 10_000,
  sendMs: 60_000,
  silenceMs: 30_000,
  pageSize: 1_000,
}

/** S3's limits for multipart uploads. */
const leastPartBytes = 5 * 1024 * 1024
const maxParts = 10_000

/** Opens a store in a bucket. The SDK is slow to load, so import this file only when a bucket is configured. */
export function openS3Store(settings: S3Settings, limits: Partial<S3Limits> = {}): ObjectStore {
  const { maxObjectBytes, responseTimeoutMs, silenceMs, pageSize, ...sending } = { ...standardLimits, ...limits }
  const client = openClient(settings, sending)
  const { bucket: Bucket } = settings
  const partBytes = Math.max(leastPartBytes, Math.ceil(maxObjectBytes / maxParts))
  const soon = { requestTimeout: responseTimeoutMs }

  return {
    async put(key, body) {
      suppressUnhandledError(body)
      assertKey(key)
      try {
        await putObject(client, { Bucket, Key: key }, body, partBytes)
      } catch (error) {
        discard(body)
        throw error
      }
    },

    async open(key, range) {
      assertKey(key)
      const Range = range && `bytes=${range.start}-${range.end}`
      const missing = { NoSuchKey: undefined, InvalidRange: { Body: Readable.from([]) } }
      const answer = await asked(client.send(new GetObjectCommand({ Bucket, Key: key, Range }), soon), missing)
      return answer && readUnlessSilent(answer.Body as Readable, silenceMs) // always true in Node
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
          // Keys with invalid names were not created by Alcove.
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
        await asked(client.send(abort, soon), { NoSuchUpload: undefined }) // another process has aborted it
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
      await asked(
        client.send(new HeadBucketCommand({ Bucket }), { abortSignal: AbortSignal.timeout(responseTimeoutMs) }),
      )
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
      // Servers without this listing must clean up unfinished uploads themselves.
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
  // A download holds its connection for as long as its client takes, so the number of sockets is unlimited.
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY }
  return new S3Client({
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(keys && { credentials: { accessKeyId: keys.access, secretAccessKey: keys.secret } }),
    // Servers other than AWS reject the checksums of newer clients, or store them inside the object.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false, // would cost a new connection and a round trip per part
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: sendMs,
      throwOnRequestTimeout: true,
      socketTimeout: 0, // would include the time that a slow client takes to read
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
}
