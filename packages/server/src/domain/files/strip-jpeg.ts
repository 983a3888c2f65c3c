import { Transform } from 'node:stream'
import { isExif, isSameResolution, type Resolution, readExif, writeExif } from './exif.ts'

/** Smaller files are judged as a whole, of larger ones the header. */
const mostHeldBytes = 256 * 1024
/** A file of more is made to keep us busy: what comes then passes unread. */
const mostSegments = 20_000

/**
 * Passes a JPEG on without its metadata, whatever its size, holding 256 KiB at most. Of the application segments stay
 * what decoders need: JFIF without its thumbnail, the colour profile, Adobe's colour transform; and of EXIF a new
 * segment with orientation and resolution. Everything that makes up the picture stays as it is, byte for byte.
 *
 * A JPEG file is one picture: what comes behind its end goes. There sit the film of a motion photo, previews, depth and
 * gain maps with metadata of their own, and what a careless editor left of the picture before it was cropped.
 *
 * Nothing is refused. Damage is read as decoders read it, and what has no picture in it, or does not even begin like a
 * JPEG, passes unchanged.
 */
export function jpegStripper(): Transform {
  const tape: Tape = { chunk: Buffer.alloc(0), at: 0, hasEnded: false, kept: [], hasScan: false }
  const walk = strip(tape)
  const held = Buffer.alloc(mostHeldBytes)
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
    state = beginsLikeJpeg(held) ? 'stripping' : 'passing'
    return [...read(held), ...read(chunk.subarray(copied))]
  }
  const end = (): Buffer[] => {
    tape.hasEnded = true
    if (state === 'passing') return []
    if (state === 'stripping') return stripped(Buffer.alloc(0))
    const whole = held.subarray(0, heldBytes)
    const rest = beginsLikeJpeg(whole) ? stripped(whole) : []
    return tape.hasScan ? rest : [whole]
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

/** The first segment ends where another begins, or is one of EXIF and only says a wrong length. */
function beginsLikeJpeg(bytes: Buffer): boolean {
  if (bytes.length < 6 || !startsWith(bytes, '\xff\xd8\xff')) return false
  const code = bytes.readUInt8(3)
  if (code === 0xff || (code === marker.app1 && isExif(bytes.subarray(6)))) return true
  return isMarker(code) && code !== marker.eoi && bytes[4 + bytes.readUInt16BE(4)] === 0xff
}

const marker = { soi: 0xd8, eoi: 0xd9, sos: 0xda, app0: 0xe0, app1: 0xe1, app2: 0xe2, app14: 0xee, com: 0xfe } as const

/** All others are stuffed bytes, fill bytes, restarts and reserved codes: part of the data in which they stand. */
const isMarker = (code: number) => code >= 0xc0 && code !== 0xff && code !== marker.soi && !isRestart(code)
const isRestart = (code: number) => code >= 0xd0 && code <= 0xd7
const isMetadata = (code: number) => (code >= marker.app0 && code <= 0xef) || code === marker.com

/** What one walk through a picture has seen. */
interface Seen {
  density: Resolution | undefined
  exif: boolean
}

/** Pauses whenever it has used up the chunk on the tape. */
function* strip(tape: Tape): Steps<void> {
  yield* pass(tape, 2)
  const seen: Seen = { density: undefined, exif: false }
  let wasKept = true
  for (let segments = 0; segments < mostSegments; segments++) {
    // What follows a dropped segment without a marker is its remainder: its length was wrong.
    const code: number | undefined = yield* nextMarker(tape, wasKept)
    if (code === undefined) return
    if (code === marker.eoi) {
      tape.kept.push(Buffer.of(0xff, code))
      if (tape.hasScan) return
      wasKept = true
    } else {
      wasKept = yield* passSegment(tape, code, seen)
    }
    if (code === marker.sos) tape.hasScan = true
  }
  yield* pass(tape, Infinity)
}

/** Passes the segment on, or what is left of it; false when nothing is. */
function* passSegment(tape: Tape, code: number, seen: Seen): Steps<boolean> {
  const length = yield* take(tape, 2)
  const head = Buffer.concat([Buffer.of(0xff, code), length])
  const bytes = length.length < 2 ? 0 : length.readUInt16BE() - 2
  if (!isMetadata(code) || bytes < 0) {
    tape.kept.push(head)
    yield* pass(tape, bytes)
    return true
  }
  if (code === marker.app1) return yield* replaceExif(tape, bytes, seen)
  if (code !== marker.app0 && code !== marker.app2 && code !== marker.app14) return yield* skip(tape, bytes)

  const known = yield* take(tape, Math.min(bytes, longestKnown))
  const left = bytes - known.length
  if (known.length < Math.min(bytes, longestKnown)) {
    tape.kept.push(head, known) // the file ends here, in the middle of a harmless beginning
    return true
  }
  if (code === marker.app2 && startsWith(known, 'ICC_PROFILE\0')) {
    tape.kept.push(head, known)
    yield* pass(tape, left)
    return true
  }
  const essence = code === marker.app0 ? jfifOf(known, seen) : adobeOf(known)
  if (essence) tape.kept.push(essence)
  yield* skip(tape, left)
  return essence !== undefined
}

const longestKnown = 14

/** Its density, without the thumbnail that may follow. */
function jfifOf(known: Buffer, seen: Seen): Buffer | undefined {
  if (known.length < longestKnown || !startsWith(known, 'JFIF\0')) return undefined
  const density = (at: number) => [known.readUInt16BE(at), 1] as const
  seen.density = { unit: known.readUInt8(7) + 1, x: density(8), y: density(10) }
  return Buffer.concat([Buffer.of(0xff, marker.app0, 0, 16), known.subarray(0, 12), Buffer.of(0, 0)])
}

/** The twelve bytes that tell how its colours were transformed. */
function adobeOf(known: Buffer): Buffer | undefined {
  if (known.length < 12 || !startsWith(known, 'Adobe')) return undefined
  return Buffer.concat([Buffer.of(0xff, marker.app14, 0, 14), known.subarray(0, 12)])
}

/** EXIF has no meaning behind the first scan, and readers go by the first that tells them something. */
function* replaceExif(tape: Tape, bytes: number, seen: Seen): Steps<boolean> {
  const segment = yield* take(tape, bytes)
  if (!isExif(segment) || tape.hasScan || seen.exif) return false
  const { resolution, ...exif } = readExif(segment)
  const isKnown = resolution && seen.density && isSameResolution(resolution, seen.density)
  const essence = writeExif({ ...exif, ...(resolution && !isKnown && { resolution }) })
  if (!essence) return false
  tape.kept.push(essence)
  seen.exif = true
  return false
}

const startsWith = (bytes: Buffer, text: string) => bytes.toString('latin1', 0, text.length) === text

/** The chunk that is being read, and what is to be passed on. */
interface Tape {
  chunk: Buffer
  at: number
  hasEnded: boolean
  kept: Buffer[]
  /** Whether the data of a picture has begun. */
  hasScan: boolean
}

type Steps<T> = Generator<void, T, void>

/** The code of the next marker, `undefined` at the end. What lies before it is passed on only with `keep`. */
function* nextMarker(tape: Tape, keep: boolean): Steps<number | undefined> {
  let isKept = keep
  while (yield* hasMore(tape)) {
    const from = tape.at
    tape.at = endOfData(tape.chunk, from, isKept)
    if (isKept && tape.at > from) tape.kept.push(tape.chunk.subarray(from, tape.at))
    if (tape.at === tape.chunk.length) continue

    tape.at++ // an 0xff
    const code = (yield* hasMore(tape)) ? tape.chunk[tape.at] : undefined
    if (code !== undefined && isMarker(code)) {
      tape.at++
      return code
    }
    // The data of a scan goes on: restarts occur nowhere else, so it was no remainder.
    if (code !== undefined && isRestart(code)) isKept = true
    if (isKept) tape.kept.push(Buffer.of(0xff))
    if (code !== undefined && code !== 0xff) {
      if (isKept) tape.kept.push(Buffer.of(code))
      tape.at++
    }
  }
  return undefined
}

/** Where a marker may begin: its 0xff, or the end of the chunk. */
function endOfData(chunk: Buffer, from: number, isKept: boolean): number {
  let at = chunk.indexOf(0xff, from)
  while (at >= 0 && at + 1 < chunk.length) {
    const code = chunk.readUInt8(at + 1)
    if (isMarker(code) || (isRestart(code) && !isKept)) return at
    at = code === 0xff ? at + 1 : chunk.indexOf(0xff, at + 2)
  }
  return at < 0 ? chunk.length : at
}

function* hasMore(tape: Tape): Steps<boolean> {
  while (tape.at >= tape.chunk.length) {
    if (tape.hasEnded) return false
    yield
  }
  return true
}

/** Fewer only at the end. */
function* take(tape: Tape, bytes: number): Steps<Buffer> {
  const pieces: Buffer[] = []
  for (let left = bytes; left > 0 && (yield* hasMore(tape)); ) {
    const piece = next(tape, left)
    pieces.push(piece)
    left -= piece.length
  }
  return Buffer.concat(pieces)
}

function* pass(tape: Tape, bytes: number): Steps<void> {
  for (let left = bytes; left > 0 && (yield* hasMore(tape)); ) {
    const piece = next(tape, left)
    tape.kept.push(piece)
    left -= piece.length
  }
}

function* skip(tape: Tape, bytes: number): Steps<false> {
  for (let left = bytes; left > 0 && (yield* hasMore(tape)); ) left -= next(tape, left).length
  return false
}

function next(tape: Tape, most: number): Buffer {
  const piece = tape.chunk.subarray(tape.at, tape.at + most)
  tape.at += piece.length
  return piece
}
