import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { deleteMarkedObjects } from '../../../domain/files/pending-deletions.ts'
import { expireUploads } from '../../../domain/uploads/expire.ts'
import { openDiskStore } from '../../../platform/object-store/disk.ts'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'
import { type FaultyStore, faultyStore, hang, type Moment } from '../../../testing/stand-ins/faulty-store.ts'
import { openWire, type Wire } from '../../../testing/stand-ins/wire.ts'

// Simple cases, such as a client that disconnects or stops sending, are in socket.api.test.ts.

let folder: string
let store: FaultyStore
let server: TestServer
let project: TestProject
let member: Client
let port: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alcove-aborts-'))
  store = faultyStore(await openDiskStore(folder))
  server = await startServer({ objects: store })
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  port = (server.app.server.address() as AddressInfo).port
  project = await server.project('acme/aborts')
  member = await server.as('maintainer', project)
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(() => store.heal())

const target = () => `/api/v4/projects/${project.id}/uploads`
const head = (method: string, path: string, more = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: alcove.test\r\nPRIVATE-TOKEN: ${member.token}\r\n${more}\r\n`
const upload = (bytes: number) =>
  head('POST', target(), `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${bytes}\r\n`)
const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
const content = 'x'.repeat(100_000)
const end = '\r\n--b--\r\n'
const whole = `${part('one.txt')}${content}\r\n${part('two.txt')}${content}${end}`

/** Returns the numbers of rows and files, including partially written ones. */
async function stored() {
  const row = await server.deps.db.one<{ rows: number }>(sql`select count(*) as rows from uploads`)
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  return { rows: row?.rows ?? 0, files: names.filter((entry) => entry.isFile()).length }
}

/** Waits until the server has finished all work for this client. */
async function settled({ socket, closed }: Wire) {
  socket.destroy()
  await closed
  const connections = () => new Promise((resolve) => server.app.server.getConnections((_, count) => resolve(count)))
  await expect.poll(async () => [await connections(), store.puts]).toEqual([0, 0])
}

const cuts: [string, number][] = [
  ['before its body', 0],
  ['in the headers of a part', 40],
  ['before the first byte of its file', part('one.txt').length],
  ['in the boundary after a complete file', whole.indexOf(content) + content.length + 4],
  ['between two files', whole.indexOf('two.txt')],
  ['in its second file', whole.indexOf('two.txt') + 50_000],
  ['before the last byte of the boundary at the end', whole.length - 3],
]

describe.each(['disconnects', 'half-closes the connection'])('a client that %s', (what) => {
  test.each(cuts)('%s leaves nothing stored', async (_, at) => {
    const before = await stored()
    const wire = await openWire(port)
    wire.socket.write(upload(whole.length) + whole.slice(0, at))
    await sleep(50)
    if (what === 'disconnects') wire.socket.destroy()
    else wire.socket.end()
    await wire.closed
    expect(wire.received).toMatch(/^(HTTP\/1\.1 400 |$)/)
    await settled(wire)
    await expect.poll(stored).toEqual(before)
  })
})

describe('a client that disconnects', () => {
  const waiting: [string, Moment][] = [
    ['before the store has received anything', 'put before'],
    ['while the store has a part of the file', 'put middle'],
    ['when the store has the whole file', 'put after'],
  ]
  test.each(waiting)('%s leaves nothing stored', async (_, moment) => {
    const before = await stored()
    const { act, reached, release } = hang()
    onTestFinished(release)
    store.at(moment, act)
    const wire = await openWire(port)
    wire.socket.write(upload(whole.length) + whole.slice(0, whole.indexOf('two.txt')))
    await reached
    wire.socket.destroy()
    await wire.closed
    await sleep(20)
    release()
    await settled(wire)
    await expect.poll(stored).toEqual(before)
  })

  test('after sending the whole request leaves the file stored', async () => {
    const before = await stored()
    const { act, reached, release } = hang()
    onTestFinished(release)
    store.at('put after', act)
    const body = `${part('one.txt')}${content}${end}`
    const wire = await openWire(port)
    wire.socket.write(upload(body.length) + body)
    await reached
    wire.socket.destroy()
    await wire.closed
    release()
    await settled(wire)
    await expect.poll(stored).toEqual({ rows: before.rows + 1, files: before.files + 1 })
  })
})

test('a download completes although the file is purged meanwhile, and is the last one', async () => {
  const bytes = Buffer.alloc(16 * 1024 * 1024, 'not yet gone ')
  const { body } = await member.post(`/projects/${project.id}/uploads`, formWithFile('file', 'large.bin', bytes))
  const { files } = await stored()
  const wire = await openWire(port)
  wire.socket.pause()
  wire.socket.write(head('GET', `${target()}/${body.id}`, 'Connection: close\r\n'))
  await sleep(100)
  expect((await member.delete(`/projects/${project.id}/uploads/${body.id}`)).status).toBe(204)
  const { deps } = server
  const later = new Date(Date.now() + deps.settings.uploadGraceMs + 60_000).toISOString()
  await expireUploads({ ...deps, now: () => later })
  await deleteMarkedObjects({ ...deps, now: () => later })
  expect((await stored()).files).toBe(files - 1)

  expect(wire.socket.bytesRead).toBeLessThan(bytes.length)
  wire.socket.resume()
  const received = await wire.closed
  const digest = (content: Buffer) => createHash('sha256').update(content).digest('hex')
  const sent = Buffer.from(received.slice(received.indexOf('\r\n\r\n') + 4), 'latin1')
  expect(digest(sent)).toBe(digest(bytes))
  expect((await member.get(`/projects/${project.id}/uploads/${body.id}`)).status).toBe(404)
})
