import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { unavailable } from '../failure.ts'

export type ClamdAddress = { host: string; port: number } | { path: string }

/** Result of a scan. A file that clamd has not scanned completely is never `clean`. */
export type ScanVerdict =
  | { state: 'clean' }
  | { state: 'infected'; signature: string }
  | { state: 'not_scanned'; reason: string }

interface ScanLimits {
  connectMs: number
  /** Maximum time without progress: clamd scans a file after it has arrived completely. */
  idleMs: number
  totalMs: number
}

const standardLimits: ScanLimits = { connectMs: 10_000, idleMs: 5 * 60_000, totalMs: 60 * 60_000 }
const maxAnswerBytes = 4096

interface ScanOptions {
  signal?: AbortSignal
  limits?: Partial<ScanLimits>
}

/** Scans the bytes with the command INSTREAM. Throws `unavailable` when clamd cannot be reached or its answer is cut. */
export async function scanBytes(
  address: ClamdAddress,
  chunks: AsyncIterable<Buffer>,
  options: ScanOptions = {},
): Promise<ScanVerdict> {
  const answer = await exchange(address, options, async (write) => {
    await write(Buffer.from('zINSTREAM\0'))
    for await (const chunk of chunks) {
      if (chunk.length === 0) continue // an empty frame ends the stream
      const isWanted = await write(Buffer.concat([lengthOf(chunk), chunk]))
      if (!isWanted) return
    }
    await write(lengthOf(Buffer.alloc(0)))
  })
  return verdictOf(answer)
}

/** Throws `unavailable` unless clamd answers within some seconds. */
export async function pingClamd(address: ClamdAddress): Promise<void> {
  const limits = { connectMs: 3_000, idleMs: 3_000 }
  const answer = await exchange(address, { limits }, (write) => write(Buffer.from('zPING\0')))
  if (answer !== 'PONG') throw unavailable('clamd', `it answered ${JSON.stringify(answer)}`)
}

function lengthOf({ length }: Buffer): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(length)
  return bytes
}

function verdictOf(answer: string): ScanVerdict {
  if (answer === 'stream: OK') return { state: 'clean' }
  const signature = /^stream: (.+) FOUND$/.exec(answer)?.[1]
  // With `AlertExceedsMax`, clamd reports files that it did not scan completely.
  if (signature?.startsWith('Heuristics.Limits.Exceeded')) return { state: 'not_scanned', reason: signature }
  if (signature !== undefined) return { state: 'infected', signature }
  if (/^INSTREAM size limit exceeded/.test(answer)) return { state: 'not_scanned', reason: answer }
  throw unavailable('clamd', `it answered ${JSON.stringify(answer)}`)
}

/** Sends one command and returns the answer without its end. `write` resolves to false once the answer has arrived. */
async function exchange(
  address: ClamdAddress,
  { signal, limits }: ScanOptions,
  send: (write: (bytes: Buffer) => Promise<boolean>) => Promise<unknown>,
): Promise<string> {
  const { connectMs, idleMs, totalMs } = { ...standardLimits, ...limits }
  const socket = new ClamdSocket()
  socket.setTimeout(connectMs)
  socket.once('connect', () => socket.setTimeout(idleMs))
  socket.once('timeout', () => socket.destroy(new Error('it took too long')))
  const ending = AbortSignal.any([AbortSignal.timeout(totalMs), ...(signal ? [signal] : [])])
  const abort = () => socket.destroy(new Error('the scan was ended'))
  ending.addEventListener('abort', abort)
  if (ending.aborted) abort()
  const received = receiveAnswer(socket)
  socket.connect(address)
  const write = async (bytes: Buffer): Promise<boolean> => {
    if (received.hasEnded()) return false
    // The callback also runs when the socket is destroyed.
    await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
    await pollForInput() // an answer may come before the end of the file
    return !received.hasEnded()
  }
  try {
    await send(write)
    const answer = await received.answer
    signal?.throwIfAborted()
    return answer
  } finally {
    ending.removeEventListener('abort', abort)
    socket.destroy()
  }
}

/** Resolves once the event loop has polled for input. Takes two turns, because the first may end before the loop polls. */
async function pollForInput(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

/**
 * Socket that delivers the bytes that have arrived before a failed write closes it. clamd answers and closes the connection
 * in the middle of a file over its limit, so its answer may still be unread when the next write fails. A standard socket
 * would discard it.
 */
class ClamdSocket extends Socket {
  onBytes: (bytes: Buffer) => void = () => {}

  constructor() {
    // After a failed write, only this callback gets bytes; the stream does not.
    const callback = (length: number, bytes: Uint8Array): boolean => {
      this.onBytes(Buffer.from(bytes.subarray(0, length)))
      return true
    }
    const options: SocketConstructorOpts & ConnectOpts = { onread: { buffer: Buffer.alloc(maxAnswerBytes), callback } }
    super(options)
    this.resume() // so that the end of the stream closes the socket
  }

  /** After an error, waits until a pending answer has been read. */
  override destroy(error?: Error): this {
    if (error) void pollForInput().then(() => super.destroy(error))
    else super.destroy()
    return this
  }
}

/** Collects the answer, which ends with a zero byte. */
function receiveAnswer(socket: ClamdSocket): { answer: Promise<string>; hasEnded(): boolean } {
  const decoder = new StringDecoder('utf8')
  let text = ''
  let hasEnded = false
  let failure: Error | undefined
  const answer = new Promise<string>((resolve, reject) => {
    socket.onBytes = (bytes) => {
      if (hasEnded) return
      text += decoder.write(bytes)
      const end = text.indexOf('\0')
      if (end < 0 && text.length <= maxAnswerBytes) return
      hasEnded = true
      if (end < 0) reject(unavailable('clamd', 'its answer is too long'))
      else resolve(text.slice(0, end))
    }
    socket.once('error', (error) => {
      failure = error
    })
    socket.once('close', () => {
      hasEnded = true
      reject(unavailable('clamd', failure?.message ?? 'it closed the connection before its answer was complete'))
    })
  })
  answer.catch(() => {}) // awaited after the file was sent
  return { answer, hasEnded: () => hasEnded }
}
