import { PassThrough } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { parameterProblem } from '../../../platform/failure.ts'
import { type Arriving, memoryPace, openArriving, type Pace } from './arriving.ts'

const chunk = Buffer.alloc(64 * 1024, 'x')
const open = (raw: PassThrough, pace: Pace = memoryPace) =>
  openArriving(raw, pace, () => parameterProblem('ended too early'))
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('chunks are returned in order, and then the end', async () => {
  const raw = new PassThrough()
  const { next } = open(raw)
  const first = next()
  raw.write('one')
  expect(await first).toEqual(Buffer.from('one'))
  raw.write(chunk)
  raw.end('three')
  expect([await next(), await next(), await next(), await next()].map((bytes) => bytes?.toString())).toEqual([
    chunk.toString(),
    'three',
    undefined,
    undefined,
  ])
})

test('the connection is paused while chunks are not read, and resumed afterwards', async () => {
  const raw = new PassThrough({ highWaterMark: chunk.length })
  const { next } = open(raw)
  let written = 0
  const sent = (async () => {
    for (; written < 64; written++) if (!raw.write(chunk)) await new Promise((resolve) => raw.once('drain', resolve))
    raw.end()
  })()
  for (let turns = 0; turns < 50; turns++) await turn()
  expect(written).toBeGreaterThanOrEqual(4)
  expect(written).toBeLessThan(10)
  let bytes = 0
  for (let piece = await next(); piece; piece = await next()) bytes += piece.length
  expect(bytes).toBe(64 * chunk.length)
  await sent
})

test('a pending read rejects when the client disconnects or reading stops, after earlier chunks', async () => {
  const raw = new PassThrough()
  const { next } = open(raw)
  raw.write('half')
  await turn()
  raw.destroy()
  expect(await next()).toEqual(Buffer.from('half'))
  await expect(next()).rejects.toThrow('ended too early')
  await expect(open(raw).next()).rejects.toThrow('ended too early')

  const other = new PassThrough()
  const stopped = open(other)
  const waiting = stopped.next()
  stopped.stop()
  await expect(waiting).rejects.toThrow('ended too early')
  expect(other.destroyed).toBe(false)
  expect(other.listenerCount('data')).toBe(0)
})

test('small chunks are merged', async () => {
  const raw = new PassThrough()
  const { next } = open(raw)
  for (let count = 0; count < 1000; count++) raw.write(`${count},`)
  raw.end()
  const pieces = []
  for (let piece = await next(); piece; piece = await next()) pieces.push(piece)
  expect(pieces.join('')).toBe(Array.from({ length: 1000 }, (_, count) => `${count},`).join(''))
  expect(pieces.length).toBeLessThan(10)
})

test('too many small chunks reject the body', async () => {
  const raw = new PassThrough()
  const refused = expect(readAll(open(raw))).rejects.toThrow('too many small chunks')
  for (let count = 0; count < 10_000; count++) {
    raw.write('x')
    if (count % 100 === 0) await turn()
  }
  await refused
  expect(raw.listenerCount('data')).toBe(0)

  const fewBytesEach = new PassThrough()
  const whole = readAll(open(fewBytesEach))
  for (let count = 0; count < 10_000; count++) {
    fewBytesEach.write('four')
    if (count % 100 === 0) await turn()
  }
  fewBytesEach.end()
  expect(await whole).toBe(40_000)
})

test('a body slower than the minimum rate is rejected', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const [slow, steady] = [new PassThrough(), new PassThrough()]
  const pace = { windowMs: 30_000, bytes: 1000 }
  const refused = expect(readAll(open(slow, pace))).rejects.toMatchObject({ cause: { kind: 'too-slow' } })
  const whole = readAll(open(steady, pace))
  for (let window = 0; window < 10; window++) {
    slow.write('x'.repeat(window === 0 ? 1000 : 999))
    steady.write('x'.repeat(1000))
    await turn()
    vi.advanceTimersByTime(30_000)
  }
  await refused
  steady.end()
  expect(await whole).toBe(10_000)
})

test('a client that is paused by a slow reader is not too slow', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const raw = new PassThrough({ highWaterMark: 1024 * 1024 })
  const { next } = open(raw, { windowMs: 1000, bytes: 1 })
  for (let count = 0; count < 8; count++) raw.write(chunk)
  await turn()
  expect(raw.isPaused()).toBe(true)
  vi.advanceTimersByTime(10_000)
  expect(await next()).toEqual(chunk)
})

afterEach(() => void vi.useRealTimers())

async function readAll({ next }: Arriving): Promise<number> {
  let bytes = 0
  for (let piece = await next(); piece; piece = await next()) bytes += piece.length
  return bytes
}
