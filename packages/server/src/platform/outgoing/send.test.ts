import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startReceiver } from '../../testing/stand-ins/receiver.ts'
import { NoResponse, type Post, post } from './send.ts'

const send = (url: string, rest: Partial<Post> = {}) =>
  post({
    url,
    headers: { 'Content-Type': 'application/json', 'X-Test': 'yes' },
    body: '{"a":"ä"}',
    timeoutMs: 5_000,
    maxResponseBytes: 100,
    verifiesCertificates: true,
    reachesPrivate: true,
    resolve: async () => ['127.0.0.1'],
    signal: undefined,
    ...rest,
  })

/** Returns the message of a failed request. */
const refusal = (url: string, rest: Partial<Post> = {}) =>
  send(url, rest).then(
    ({ status }) => `answered ${status}`,
    (error: unknown) => (error instanceof NoResponse ? error.message : error),
  )

describe('an outgoing POST', () => {
  test('sends headers and body, and returns the response', async () => {
    const receiver = await startReceiver()
    receiver.answer = (response) => response.writeHead(201, { 'X-Back': ['1', '2'] }).end('thanks')
    const answer = await send(`http://receiver.test:${receiver.port}/a?b=c`)
    expect(answer).toMatchObject({ status: 201, body: 'thanks', headers: { 'x-back': '1, 2' } })
    expect(receiver.received).toMatchObject([
      {
        path: '/a?b=c',
        body: { a: 'ä' },
        headers: { host: `receiver.test:${receiver.port}`, 'x-test': 'yes', 'content-length': '10' },
      },
    ])
  })

  test('does not follow a redirect', async () => {
    const [receiver, inside] = [await startReceiver(), await startReceiver()]
    receiver.answer = (response) => response.writeHead(302, { location: inside.url }).end()
    expect((await send(receiver.url)).status).toBe(302)
    expect(inside.received).toEqual([])
  })

  test('limits the response body, however long it is', async () => {
    const receiver = await startReceiver()
    let written = 0
    receiver.answer = (response) => {
      const more = () => {
        while (!response.destroyed && written < 1e9) {
          written += 65_536
          if (!response.write('x'.repeat(65_536))) return void response.once('drain', more)
        }
      }
      more()
    }
    const { status, body } = await send(receiver.url)
    expect([status, body]).toEqual([200, 'x'.repeat(100)])
    expect(written).toBeLessThan(50e6)
  })

  test('returns status and partial body when the rest is late or cut off', async () => {
    const receiver = await startReceiver()
    receiver.answer = (response) => response.write('begin')
    expect(await send(receiver.url, { timeoutMs: 300 })).toMatchObject({ status: 200, body: 'begin' })
    receiver.answer = (response) => response.write('begin', () => response.destroy())
    expect(await send(receiver.url)).toMatchObject({ status: 200, body: 'begin' })
  })

  test('rejects when the receiver is silent, closes the connection, or sends invalid HTTP', async () => {
    const receiver = await startReceiver()
    receiver.answer = () => {}
    expect(await refusal(receiver.url, { timeoutMs: 200 })).toBe('there was no response within 0.2 seconds')
    receiver.answer = (response) => response.destroy()
    expect(await refusal(receiver.url)).toContain('ECONNRESET')

    const odd = createServer((socket) => void socket.on('error', () => {}).end('SSH-2.0-OpenSSH\r\n'))
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void odd.close())
    const { port } = odd.address() as { port: number } // it listens at a port
    expect(await refusal(`http://127.0.0.1:${port}/`)).toContain('HPE_')
    odd.close()
    await expect.poll(() => refusal(`http://127.0.0.1:${port}/`)).toContain('ECONNREFUSED')
  })

  test('connects to the checked address, even when the name then resolves to another one', async () => {
    const receiver = await startReceiver()
    let lookups = 0
    const resolve = async () => [lookups++ === 0 ? '127.0.0.2' : '127.0.0.1']
    expect(await refusal(`http://rebinding.test:${receiver.port}/`, { resolve })).toContain('ECONNREFUSED 127.0.0.2')
    expect(lookups).toBe(1)
    expect(receiver.received).toEqual([])
  })

  test('rejects an untrusted certificate', async () => {
    const receiver = await startReceiver()
    expect(await refusal(`https://127.0.0.1:${receiver.port}/`)).toMatch(/SSL|EPROTO|wrong version/i)
  })

  test('rejects a name without addresses, or one that is not resolved in time', async () => {
    expect(await refusal('http://nowhere.test/', { resolve: () => Promise.reject(new Error('ENOTFOUND')) })).toBe(
      'the host name nowhere.test has no address',
    )
    expect(await refusal('http://empty.test/', { resolve: async () => [] })).toBe(
      'the host name empty.test has no address',
    )
    const never = () => new Promise<string[]>(() => {})
    expect(await refusal('http://slow.test/', { resolve: never, timeoutMs: 50 })).toBe(
      'the name was not resolved in time',
    )
  })
})

describe('without permission to reach private networks', () => {
  const forbidden = 'resolves to this machine or a private network, which is not allowed'

  test.for([
    ...['127.0.0.1', 'localhost', '0x7f000001', '2130706433', '0177.1', '127.1', '0', '[::1]', '[::]'],
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '10.0.0.1', '169.254.169.254', '[fe80::1]'],
  ])('http://%s is rejected without a connection', async (host) => {
    const receiver = await startReceiver()
    expect(await refusal(`http://${host}:${receiver.port}/`, { reachesPrivate: false })).toContain(forbidden)
    expect(receiver.received).toEqual([])
  })

  test('a name is rejected when one of its addresses is private', async () => {
    const receiver = await startReceiver()
    const resolve = async () => ['93.184.215.14', '127.0.0.1']
    const url = `http://mixed.test:${receiver.port}/`
    expect(await refusal(url, { reachesPrivate: false, resolve })).toBe(`mixed.test ${forbidden}`)
    expect(receiver.received).toEqual([])
  })
})
