import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startS3 } from '../src/testing/stand-ins/s3.ts'
import { startProcess } from './process.ts'

const mebibyte = 1024 * 1024
const token = 'token-of-the-large-upload'

const isLinux = process.platform === 'linux'

test.runIf(isLinux)('1 GiB can be uploaded and downloaded in less than 150 MB of memory', async () => {
  const { atMost } = await sendLargeFile(1024, {})
  expect(atMost).toBeLessThan(150_000_000)
})

test.runIf(isLinux)(
  '256 MiB can be uploaded to and downloaded from a bucket without holding them in memory',
  async () => {
    const { settings, close } = await startS3()
    try {
      const { before, afterUpload, atMost } = await sendLargeFile(256, {
        ALCOVE_S3_BUCKET: settings.bucket,
        ALCOVE_S3_ENDPOINT: settings.endpoint,
        ALCOVE_S3_ACCESS_KEY: settings.keys.access,
        ALCOVE_S3_SECRET_KEY: settings.keys.secret,
      })
      expect(afterUpload - before).toBeLessThan(60_000_000)
      expect(atMost - before).toBeLessThan(120_000_000)
    } finally {
      await close()
    }
  },
)

/** Uploads and downloads a file. Returns the maximum resident memory of the process in bytes. */
async function sendLargeFile(mebibytes: number, storage: Record<string, string>) {
  // On disk, because a small /dev/shm has no room for the file.
  const folder = await mkdtemp(join(tmpdir(), 'alcove-large-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const env = { ...storage, ALCOVE_DATA: folder, ALCOVE_BOOTSTRAP_TOKEN: token, ALCOVE_MAX_UPLOAD_MIB: '1024' }
  const { url, pid } = await startProcess({ env })
  const before = await mostMemory(pid)
  const headers = { 'private-token': token }
  const body = new URLSearchParams({ name: 'large' })
  const project = (await (await fetch(`${url}/api/v4/projects`, { method: 'POST', headers, body })).json()) as Created
  const base = `${url}/api/v4/projects/${project.id}/uploads`

  const sent = createHash('sha256')
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n'
  const end = '\r\n--b--\r\n'
  const form = async function* () {
    yield head
    for (const chunk of chunks(mebibytes)) {
      sent.update(chunk)
      yield chunk
    }
    yield end
  }
  const type = 'multipart/form-data; boundary=b'
  const length = head.length + mebibytes * mebibyte + end.length
  const sending = request(base, {
    method: 'POST',
    headers: { ...headers, 'content-type': type, 'content-length': length },
  })
  const answered = once(sending, 'response')
  await pipeline(Readable.from(form(), { objectMode: false }), sending)
  const [answer] = await answered
  expect(answer.statusCode).toBe(201)
  const upload = JSON.parse((await answer.setEncoding('utf8').toArray()).join('')) as Created
  const afterUpload = await mostMemory(pid)

  const download = await fetch(`${base}/${upload.id}`, { headers })
  expect(download.headers.get('content-length')).toBe(String(mebibytes * mebibyte))
  const received = createHash('sha256')
  for await (const chunk of download.body ?? []) received.update(chunk)
  expect(received.digest('hex')).toBe(sent.digest('hex'))
  return { before, afterUpload, atMost: await mostMemory(pid) }
}

interface Created {
  id: number
}

/** Returns chunks that differ, so that a swapped chunk is detected. */
function* chunks(mebibytes: number): Iterable<Buffer> {
  const random = randomBytes(mebibyte)
  for (let index = 0; index < mebibytes; index++) {
    const chunk = Buffer.from(random)
    chunk.writeUInt32LE(index)
    yield chunk
  }
}

async function mostMemory(pid: number): Promise<number> {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) * 1024
}
