import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { startClamd } from '../../testing/stand-ins/clamd.ts'
import { pingClamd, scanBytes } from './clamd.ts'

async function* pieces(...texts: (string | Buffer)[]): AsyncGenerator<Buffer, void> {
  for (const text of texts) yield Buffer.from(text)
}

const outage = { cause: { kind: 'unavailable', what: 'clamd' } }

test('a file is sent in pieces, and the answer is read however it is split', async () => {
  const clamd = await startClamd()
  const large = Buffer.alloc(3_000_000, 'x')
  expect(await scanBytes(clamd.address, pieces('one ', '', large, ' end'))).toEqual({ state: 'clean' })
  expect(clamd.scanned.map(({ length }) => length)).toEqual([3_000_008])
  clamd.reaction = 'answer in pieces'
  expect(await scanBytes(clamd.address, pieces('a vi', 'rus'))).toEqual({
    state: 'infected',
    signature: 'Test.Virus-1',
  })
  expect(await scanBytes(clamd.address, pieces())).toEqual({ state: 'clean' })
})

test('a file over a limit of clamd is not scanned, also when only a part was scanned', async () => {
  const clamd = await startClamd()
  clamd.maxBytes = 1_000
  const half = Buffer.alloc(600, 'x')
  const tooLarge = { state: 'not_scanned', reason: 'INSTREAM size limit exceeded. ERROR' }
  expect(await scanBytes(clamd.address, pieces(half, half))).toEqual(tooLarge)
  // The answer comes long before the end of the file.
  const many = Array.from({ length: 200 }, () => Buffer.alloc(100_000, 'y'))
  expect(await scanBytes(clamd.address, pieces(...many))).toEqual(tooLarge)
  clamd.found = 'stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND'
  expect(await scanBytes(clamd.address, pieces('virus'))).toEqual({
    state: 'not_scanned',
    reason: 'Heuristics.Limits.Exceeded.MaxFileSize',
  })
})

test.each(['cut', 'reset', 'error'] as const)('an answer that is %s is an outage, never a result', async (reaction) => {
  const clamd = await startClamd()
  clamd.reaction = reaction
  await expect(scanBytes(clamd.address, pieces('text'))).rejects.toMatchObject(outage)
  await expect(scanBytes(clamd.address, pieces('virus'))).rejects.toMatchObject(outage)
})

test('a scan ends when clamd does not answer in time, and when it is aborted', async () => {
  const clamd = await startClamd()
  clamd.reaction = 'hang'
  await expect(scanBytes(clamd.address, pieces('x'), { limits: { idleMs: 50 } })).rejects.toMatchObject(outage)
  await expect(scanBytes(clamd.address, pieces('x'), { limits: { totalMs: 50 } })).rejects.toMatchObject(outage)
  const ended = { signal: AbortSignal.abort() }
  await expect(scanBytes(clamd.address, pieces('x'), ended)).rejects.toThrow()
  const abort = new AbortController()
  const scan = scanBytes(clamd.address, pieces('x'), { signal: abort.signal })
  abort.abort()
  await expect(scan).rejects.toThrow()
})

test('a file that cannot be read is neither clean nor an outage', async () => {
  const clamd = await startClamd()
  async function* broken(): AsyncGenerator<Buffer, void> {
    yield Buffer.from('one piece')
    throw new Error('the disk failed')
  }
  await expect(scanBytes(clamd.address, broken())).rejects.toThrow('the disk failed')
  expect(clamd.scanned).toEqual([])
})

test('a clamd that is not running is an outage, also by its socket', async () => {
  const clamd = await startClamd()
  await pingClamd(clamd.address)
  await clamd.stop()
  await expect(pingClamd(clamd.address)).rejects.toMatchObject(outage)
  await expect(scanBytes(clamd.address, pieces('x'))).rejects.toMatchObject(outage)
  const folder = await mkdtemp(join(tmpdir(), 'alcove-clamd-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'clamd.sock')
  await expect(pingClamd({ path })).rejects.toMatchObject(outage)
  const server = createServer((socket) => void socket.once('data', () => socket.end('PONG\0')))
  await new Promise<void>((resolve) => server.listen(path, resolve))
  onTestFinished(() => void server.close())
  await pingClamd({ path })
})

test('an answer that arrived before a failed write is used', async () => {
  // Another thread rejects the file and closes the connection while this thread is blocked.
  const rejected = new Int32Array(new SharedArrayBuffer(4))
  const program = `
    const { parentPort, workerData } = require('node:worker_threads')
    const server = require('node:net').createServer((socket) => {
      socket.once('data', () => {
        socket.write('INSTREAM size limit exceeded. ERROR\\0', () => {
          socket.resetAndDestroy()
          Atomics.store(workerData, 0, 1)
          Atomics.notify(workerData, 0)
        })
      })
    })
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
  `
  const clamd = new Worker(program, { eval: true, workerData: rejected })
  onTestFinished(() => void clamd.terminate())
  const [port] = await once(clamd, 'message')
  async function* blocking(): AsyncGenerator<Buffer, void> {
    yield Buffer.from('one piece')
    Atomics.wait(rejected, 0, 0, 10_000)
    yield Buffer.from('another piece')
  }
  expect(await scanBytes({ host: '127.0.0.1', port }, blocking())).toEqual({
    state: 'not_scanned',
    reason: 'INSTREAM size limit exceeded. ERROR',
  })
})
