import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cert, type SyslogReceiver, startSyslog } from '../../testing/stand-ins/syslog.ts'
import type { SyslogDestination } from '../settings/audit-stream-settings.ts'
import { frameSyslog, sendSyslog } from './syslog.ts'

const time = '2026-05-01T10:00:00.000Z'
const frames = ['first', 'second'].map((text) => frameSyslog({ time, hostname: 'alcove.example.com', text }))

test('a message follows RFC 5424 and begins with its number of octets', () => {
  expect(frames[0]).toBe('73 <109>1 2026-05-01T10:00:00.000Z alcove.example.com alcove - audit - first')
})

describe('messages', () => {
  test('are sent over TCP in order', async () => {
    const syslog = await startSyslog()
    await send(plain(syslog))
    expect(syslog.received).toEqual([
      '<109>1 2026-05-01T10:00:00.000Z alcove.example.com alcove - audit - first',
      '<109>1 2026-05-01T10:00:00.000Z alcove.example.com alcove - audit - second',
    ])
  })

  test('are sent over TLS to a receiver with a trusted certificate', async () => {
    const syslog = await startSyslog({ isEncrypted: true })
    await send({ ...plain(syslog), isEncrypted: true, caFile: await certificateFile() })
    expect(syslog.received).toHaveLength(2)
  })

  test('are not sent over TLS to a receiver with an untrusted certificate', async () => {
    const syslog = await startSyslog({ isEncrypted: true })
    await expect(send({ ...plain(syslog), isEncrypted: true })).rejects.toThrow(/self-signed certificate/)
    expect(syslog.received).toEqual([])
  })

  test('are not sent over TLS to a receiver with a certificate for another name', async () => {
    const syslog = await startSyslog({ isEncrypted: true })
    const other = { ...plain(syslog), host: 'localhost', isEncrypted: true, caFile: await certificateFile() }
    await expect(send(other)).rejects.toThrow(/altnames/)
    expect(syslog.received).toEqual([])
  })

  test('that are larger than the buffers of a connection arrive completely', async () => {
    const syslog = await startSyslog()
    const large = frameSyslog({ time, hostname: 'alcove.example.com', text: 'x'.repeat(8 * 1024 * 1024) })
    await sendSyslog(plain(syslog), [large, ...frames], limits())
    expect(syslog.received.map(({ length }) => length)).toEqual([large.length - '8388672 '.length, 73, 74])
  })
})

describe('sending fails', () => {
  test.each([
    ['reset', /ECONNRESET|EPIPE/],
    ['close at once', /closed the connection too early|ECONNRESET|EPIPE/],
  ] as const)('when the receiver reacts with "%s"', async (reaction, reason) => {
    const syslog = await startSyslog()
    syslog.reaction = reaction
    const large = frameSyslog({ time, hostname: 'alcove.example.com', text: 'x'.repeat(8 * 1024 * 1024) })
    await expect(sendSyslog(plain(syslog), [large], limits())).rejects.toThrow(reason)
  })

  test('when the receiver does not close the connection in time', async () => {
    const syslog = await startSyslog()
    syslog.reaction = 'hang'
    await expect(sendSyslog(plain(syslog), frames, { ...limits(), timeoutMs: 50 })).rejects.toThrow(
      'the receiver did not close the connection within 0.05 seconds',
    )
  })

  test('when the process stops', async () => {
    const syslog = await startSyslog()
    syslog.reaction = 'hang'
    const stopping = new AbortController()
    const sending = sendSyslog(plain(syslog), frames, { ...limits(), signal: stopping.signal })
    const failed = expect(sending).rejects.toThrow('the process stops')
    await expect.poll(() => syslog.connections).toBe(1)
    stopping.abort()
    await failed
  })

  test('when there is no receiver or no file with certificates', async () => {
    const syslog = await startSyslog()
    await expect(send({ ...plain(syslog), port: 1 })).rejects.toThrow('ECONNREFUSED')
    const missing = { ...plain(syslog), isEncrypted: true, caFile: '/missing/ca.pem' }
    await expect(send(missing)).rejects.toThrow('ENOENT')
  })
})

const limits = () => ({ timeoutMs: 30_000, signal: new AbortController().signal })

const send = (destination: SyslogDestination) => sendSyslog(destination, frames, limits())

const plain = ({ port }: SyslogReceiver): SyslogDestination => ({
  kind: 'syslog',
  name: `syslog+tcp://127.0.0.1:${port}`,
  host: '127.0.0.1',
  port,
  isEncrypted: false,
})

async function certificateFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-ca-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'ca.pem'), cert)
  return join(folder, 'ca.pem')
}
