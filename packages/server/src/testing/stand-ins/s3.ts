import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, DeleteBucketCommand, S3Client } from '@aws-sdk/client-s3'
import S3rver from 's3rver'
import { openS3Store } from '../../platform/object-store/s3.ts'
import type { S3Settings } from '../../platform/settings/settings.ts'

export interface S3Server {
  settings: S3Settings & { endpoint: string; keys: { access: string; secret: string } }
  /** False for the in-process server: it checks no signatures, and cannot list or abort incomplete uploads. */
  isReal: boolean
  close(): Promise<void>
}

/** Creates an empty bucket in the server of `ALCOVE_TEST_S3_…`, or else in an in-process server. */
export async function startS3(): Promise<S3Server> {
  const endpoint = process.env['ALCOVE_TEST_S3_ENDPOINT']
  return endpoint ? newBucketAt(endpoint) : startInProcess()
}

async function newBucketAt(endpoint: string): Promise<S3Server> {
  const settings = {
    endpoint,
    region: 'us-east-1',
    bucket: `alcove-test-${randomBytes(8).toString('hex')}`,
    keys: {
      access: process.env['ALCOVE_TEST_S3_ACCESS_KEY'] ?? '',
      secret: process.env['ALCOVE_TEST_S3_SECRET_KEY'] ?? '',
    },
    redirect: false,
  }
  const client = plainClient(settings)
  await client.send(new CreateBucketCommand({ Bucket: settings.bucket }))
  return {
    settings,
    isReal: true,
    async close() {
      const store = openS3Store(settings)
      for await (const { key } of store.list('')) await store.remove(key)
      await store.removeUnfinished('', new Date(Date.now() + 60_000))
      await client.send(new DeleteBucketCommand({ Bucket: settings.bucket }))
      await store.close()
      client.destroy()
    },
  }
}

/** Returns an S3 client for operations that the object store does not offer. */
export function plainClient({ endpoint, region, keys }: S3Server['settings']): S3Client {
  return new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId: keys.access, secretAccessKey: keys.secret },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
}

async function startInProcess(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'alcove-s3-'))
  const bucket = 'alcove-test'
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  })
  writeBeforeResponding(server)
  readFirstByteAlone(server)
  const { port } = await server.run()
  return {
    settings: {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      bucket,
      keys: { access: 'S3RVER', secret: 'S3RVER' },
      redirect: false,
    },
    isReal: false,
    async close() {
      server.httpServer.closeAllConnections()
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Makes s3rver wait for the file: it responds when it has read the bytes, before they are in the file. */
function writeBeforeResponding({ store }: S3rver): void {
  const putObject = store.putObject.bind(store)
  store.putObject = async (object) => {
    const result = await putObject(object)
    await untilLong(store.getResourcePath(object.bucket, object.key, 'object'), result.size)
    return result
  }
  const putPart = store.putPart.bind(store)
  store.putPart = async (bucket, uploadId, part, content) => {
    const result = await putPart(bucket, uploadId, part, content)
    await untilLong(join(store.getResourcePath(bucket, undefined, 'uploads'), uploadId, `${part}`), result.size)
    return result
  }
}

/** Fixes ranges that end with the first byte: s3rver treats 0 as no end and sends everything. */
function readFirstByteAlone({ store }: S3rver): void {
  const getObject = store.getObject.bind(store)
  store.getObject = (bucket, key, range) => getObject(bucket, key, range?.end === 0 ? { ...range, end: '0' } : range)
}

async function untilLong(path: string, bytes: number): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const found = await stat(path).catch(() => undefined)
    if (!found || found.size >= bytes) return
    await sleep(2)
  }
}
