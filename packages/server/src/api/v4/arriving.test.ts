import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { parameterProblem } from '../../platform/failure.ts'
import { openArriving } from './arriving.ts'

const chunk = Buffer.alloc(64 * 1024, 'x')
const open = (raw: PassThrough) =>
  openArriving(raw as never as IncomingMessage, () => parameterProblem('ended too early')) // all that it uses of a request
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('what arrives is given in order, and then the end', async () => {
  const raw = new PassThrough()
  const { next } = open(raw)
  const first = next()
  raw.write('one')
  expect(await first).toEqual(Buffer.from('one'))
  raw.write('two')
  raw.end('three')
  expect([await next(), await next(), await next(), await next()].map((bytes) => bytes?.toString())).toEqual([
    'two',
    'three',
    undefined,
    undefined,
  ])
})

test('the line is stopped while nobody takes what has come, and goes on when somebody does', async () => {
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

test('whoever waits hears that the client has gone, or that it is over; what had come is given first', async () => {
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
