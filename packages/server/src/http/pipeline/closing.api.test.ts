import type { AddressInfo } from 'node:net'
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { openLifecycle } from '../../platform/lifecycle.ts'
import { formWithFile } from '../../testing/client.ts'
import { startServer } from '../../testing/server.ts'
import { openWire, type Wire } from '../../testing/stand-ins/wire.ts'

async function listening() {
  const lifecycle = openLifecycle()
  const server = await startServer({ lifecycle })
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.app.server.address() as AddressInfo // it listens on a port
  const head = `Host: alcove.test\r\nPRIVATE-TOKEN: ${server.admin.token}\r\n`
  const get = (path: string) => `GET ${path} HTTP/1.1\r\n${head}\r\n`
  const create = (name: string) =>
    `POST /api/v4/projects HTTP/1.1\r\n${head}Content-Type: application/x-www-form-urlencoded\r\n` +
    `Content-Length: ${name.length + 5}\r\n\r\nname=${name}`
  const countProjects = async () => (await server.deps.db.all(sql`select id from projects`)).length
  return { server, lifecycle, get, create, countProjects, open: () => openWire(port) }
}

const count = (text: string, part: string | RegExp) => text.split(part).length - 1

describe('a draining server', () => {
  test('is not ready, serves other requests, and closes each connection after its response', async () => {
    const { server, lifecycle, get, open } = await listening()
    const [used, fresh] = [await open(), await open()]
    used.socket.write(get('/-/ready'))
    expect(await used.until('{"status":"ok"}')).not.toMatch(/connection: close/i)

    lifecycle.drain()
    expect(await server.anonymous.get('//-/ready')).toMatchObject({
      status: 503,
      body: { message: '503 Service Unavailable', reasons: ['the server is stopping'] },
    })
    for (const wire of [used, fresh]) {
      wire.socket.write(get('/api/v4/user'))
      const received = await wire.closed
      expect(received).toMatch(/HTTP\/1.1 200 OK(?!.*HTTP\/1.1)/s)
      expect(received).toMatch(/connection: close/i)
      expect(received).toContain('"username":"root"')
    }
  })

  test('answers pipelined requests in order and closes the connection after the last one', async () => {
    const { lifecycle, create, countProjects, open } = await listening()
    const wire = await open()
    lifecycle.drain()
    wire.socket.write(create('one') + create('two') + create('three'))
    const received = await wire.closed
    expect(count(received, 'HTTP/1.1 201')).toBe(3)
    expect(count(received, /connection: close/i)).toBe(1)
    expect(received.search(/connection: close/i)).toBeGreaterThan(received.indexOf('"path":"two"'))
    expect(await countProjects()).toBe(3)
  })

  test('executes no request after the response that closed the connection', async () => {
    const { lifecycle, create, countProjects, open } = await listening()
    const wire = await open()
    lifecycle.drain()
    wire.socket.write(create('answered'))
    await wire.until('HTTP/1.1 201')
    wire.socket.write(create('too-late'))
    expect(count(await wire.closed, 'HTTP/1.1 201')).toBe(1)
    expect(await countProjects()).toBe(1)
  })
})

describe('a closing server', () => {
  test('completes a keep-alive response, and then closes the connection', async () => {
    const { server, get, create, countProjects, open } = await listening()
    const project = await server.project('acme/large')
    const bytes = 8 * 1024 * 1024
    const upload = await server.admin.post(
      `/projects/${project.id}/uploads`,
      formWithFile('file', 'large.bin', Buffer.alloc(bytes, 'x')),
    )
    const wire = await open()
    const before = await countProjects()
    wire.socket.write(get(`/api/v4/projects/${project.id}/uploads/${upload.body.id}`))
    await wire.until('200 OK')
    wire.socket.pause()

    const closed = server.app.close()
    wire.socket.write(create('pipelined'))
    wire.socket.resume()
    const received = await wire.closed
    await closed
    expect(received.length).toBeGreaterThan(bytes)
    expect((await countProjects()) - before).toBe(count(received, 'HTTP/1.1 201'))
  })

  test('executes no request whose response cannot be sent, whenever it closes', async () => {
    for (let round = 0; round < 9; round++) {
      const { server, create, countProjects, open } = await listening()
      const wires: Wire[] = await Promise.all([open(), open(), open()])
      const names = wires.flatMap((_, wire) => ['a', 'b', 'c'].map((name) => `${name}-${wire}`))
      wires.forEach((wire, index) => {
        wire.socket.write(
          names
            .slice(3 * index, 3 * index + 3)
            .map(create)
            .join(''),
        )
      })
      // Closes after a different number of responses each time.
      await expect
        .poll(() => wires.reduce((sum, { received }) => sum + count(received, '201'), 0))
        .toBeGreaterThan(Math.min(round, 8) - 1)
      const closed = server.app.close()
      for (const wire of wires) wire.socket.write(create(`late-${round}`))
      const answered = (await Promise.all(wires.map(({ closed }) => closed))).map((text) => count(text, 'HTTP/1.1 2'))
      await closed
      expect(await countProjects()).toBe(answered.reduce((sum, each) => sum + each, 0))
    }
  })
})
