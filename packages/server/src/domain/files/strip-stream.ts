import { Transform } from 'node:stream'

/** Number of bytes that are buffered to recognise a picture. Smaller files are examined completely. */
const maxHeldBytes = 256 * 1024

/** Input chunk and output buffers of a stripper. */
export interface Tape {
  chunk: Buffer
  at: number
  hasEnded: boolean
  kept: Buffer[]
  /** Whether the data of the picture has begun. */
  hasPicture: boolean
}

export type Steps<T> = Generator<void, T, void>

/**
 * Runs a generator over a stream of any size, buffering at most 256 KiB. The generator moves what is kept from the
 * tape's chunk to `kept`, and yields when it has consumed the chunk. A file that does not begin like a picture is copied
 * unchanged, as is a small one in which the generator found no picture.
 */
export function streamStripper(begins: (bytes: Buffer) => boolean, strip: (tape: Tape) => Steps<void>): Transform {
  const tape: Tape = { chunk: Buffer.alloc(0), at: 0, hasEnded: false, kept: [], hasPicture: false }
  const walk = strip(tape)
  const held = Buffer.alloc(maxHeldBytes)
  let heldBytes = 0
  let state: 'holding' | 'stripping' | 'passing' = 'holding'

  const stripped = (chunk: Buffer) => {
    tape.chunk = chunk
    tape.at = 0
    walk.next()
    return tape.kept.splice(0)
  }
  const read = (chunk: Buffer): Buffer[] => {
    if (state === 'passing') return [chunk]
    if (state === 'stripping') return stripped(chunk)
    const copied = chunk.copy(held, heldBytes)
    heldBytes += copied
    if (copied === chunk.length) return []
    state = begins(held) ? 'stripping' : 'passing'
    return [...read(held), ...read(chunk.subarray(copied))]
  }
  const end = (): Buffer[] => {
    tape.hasEnded = true
    if (state === 'passing') return []
    if (state === 'stripping') return stripped(Buffer.alloc(0))
    const whole = held.subarray(0, heldBytes)
    const rest = begins(whole) ? stripped(whole) : []
    return tape.hasPicture ? rest : [whole]
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const bytes of read(chunk)) this.push(bytes)
      done()
    },
    flush(done) {
      for (const bytes of end()) this.push(bytes)
      done()
    },
  })
}

export const startsWith = (bytes: Buffer, text: string) => bytes.toString('latin1', 0, text.length) === text

export function* hasMore(tape: Tape): Steps<boolean> {
  while (tape.at >= tape.chunk.length) {
    if (tape.hasEnded) return false
    yield
  }
  return true
}

/** Reads `bytes` bytes, or fewer at the end of the file. */
export function* take(tape: Tape, bytes: number): Steps<Buffer> {
  const pieces: Buffer[] = []
  for (let left = bytes; left > 0 && (yield* hasMore(tape)); ) {
    const piece = next(tape, left)
    pieces.push(piece)
    left -= piece.length
  }
  return Buffer.concat(pieces)
}

export function* pass(tape: Tape, bytes: number): Steps<void> {
  for (let left = bytes; left > 0 && (yield* hasMore(tape)); ) {
    const piece = next(tape, left)
    tape.kept.push(piece)
    left -= piece.length
  }
}

export function* skip(tape: Tape, bytes: number): Steps<false> {
  for (let left = bytes; left > 0 && (yield* hasMore(tape)); ) left -= next(tape, left).length
  return false
}

function next(tape: Tape, max: number): Buffer {
  const piece = tape.chunk.subarray(tape.at, tape.at + max)
  tape.at += piece.length
  return piece
}
