import { mkdtemp, rm, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import S3rver from 's3rver'
import type { S3Settings } from '../platform/settings.ts'

export interface S3Server {
  settings: S3Settings & { endpoint: string }
  close(): Promise<void>
}

/** An S3 server in this process, with one bucket. It checks no signatures and cannot list unfinished uploads. */
export async function startS3(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'alcove-s3-'))
  const bucket = 'alcove-test'
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  })
  writeBeforeAnswering(server)
  readFirstByteAlone(server)
  const { port } = (await server.run()) as AddressInfo
  return {
    settings: {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      bucket,
      keys: { access: 'S3RVER', secret: 'S3RVER' },
      redirect: false,
    },
    async close() {
      server.httpServer.closeAllConnections()
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** It answers when it has read the bytes, before all of them are in the file that the next request reads. */
function writeBeforeAnswering({ store }: S3rver): void {
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

/** Of a range that ends with the first byte it would send everything: it takes 0 for no end. */
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
