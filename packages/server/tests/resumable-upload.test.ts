import { createHash, randomBytes } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Upload } from 'tus-js-client'
import { expect, onTestFinished, test } from 'vitest'
import { type ServerProcess, startProcess, temporaryFolder } from './process.ts'

const mebibyte = 1024 * 1024
const token = 'token-of-the-resumable-upload'

test('200 MiB arrive through three broken connections and a kill of the server', { timeout: 60_000 }, async () => {
  const folder = await temporaryFolder()
  const env = { ALCOVE_DATA: folder, ALCOVE_BOOTSTRAP_TOKEN: token, ALCOVE_MAX_UPLOAD_MIB: '200' }
  let server = await startProcess({ env })
  const proxy = await openProxy(() => server)
  const headers = { 'private-token': token }
  const api = `http://127.0.0.1:${proxy.port}/api/v4`
  const created = await fetch(`${api}/projects`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ name: 'big' }),
  })
  const { id } = (await created.json()) as { id: number }

  const content = randomBytes(200 * mebibyte)
  const breaks = [30, 75, 120].map((at) => at * mebibyte)
  const restartAt = 160 * mebibyte
  let restarts = 0
  let broken = 0
  const url = await new Promise<string>((resolve, reject) => {
    const upload: Upload = new Upload(content, {
      endpoint: `${api}/projects/${id}/uploads/resumable`,
      headers,
      metadata: { filename: 'big.bin' },
      // A server that restarts refuses connections for some seconds.
      retryDelays: Array.from({ length: 40 }, () => 250),
      onProgress(sent) {
        if (breaks[0] !== undefined && sent >= breaks[0]) {
          breaks.shift()
          broken += 1
          proxy.breakConnections()
        } else if (restarts === 0 && breaks.length === 0 && sent >= restartAt) {
          restarts += 1
          void restart().catch(reject)
        }
      },
      onError: reject,
      onSuccess: () => resolve(upload.url ?? ''),
    })
    upload.start()
  })
  expect({ broken, restarts }).toEqual({ broken: 3, restarts: 1 })
  const { upload, offset } = (await (await fetch(url, { headers })).json()) as {
    upload: { id: number }
    offset: number
  }
  expect(offset).toBe(content.length)
  const stored = await fetch(`${api}/projects/${id}/uploads/${upload.id}`, { headers })
  expect(sha256(Buffer.from(await stored.arrayBuffer()))).toBe(sha256(content))

  async function restart(): Promise<void> {
    await server.kill()
    server = await startProcess({ env })
  }
})

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Forwards connections to the current server, whose port changes with a restart. */
async function openProxy(server: () => ServerProcess): Promise<{ port: number; breakConnections(): void }> {
  const open = new Set<Socket>()
  const proxy = createServer((client) => {
    const upstream = connect(Number(new URL(server().url).port), '127.0.0.1')
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one)
      one.pipe(other)
      one
        .on('error', () => other.destroy())
        .on('close', () => {
          open.delete(one)
          other.destroy()
        })
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const breakConnections = () => {
    for (const socket of open) socket.destroy()
  }
  onTestFinished(() => {
    breakConnections()
    proxy.close()
  })
  return { port: (proxy.address() as AddressInfo).port, breakConnections }
}
