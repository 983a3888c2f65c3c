import type { Transform } from 'node:stream'
import { isExif, readExif, writeExifData } from './exif.ts'
import { hasMore, pass, type Steps, skip, startsWith, streamStripper, type Tape, take } from './strip-stream.ts'

/** Maximum number of chunks. The remainder of a file with more is copied unread. */
const maxChunks = 100_000
/** Maximum size of EXIF data that is searched for an orientation. */
const maxExifBytes = 64 * 1024

/**
 * Removes the metadata of a WebP stream of any size: XMP, EXIF except for the orientation, unknown chunks, and everything
 * after the end of the file's container. What is removed is overwritten with zeros, because the container begins with
 * its length. All other chunks are copied byte for byte. No file is rejected. A file without a picture is copied
 * unchanged.
 */
export function webpStripper(): Transform {
  return streamStripper(beginsLikeWebp, strip)
}

const beginsLikeWebp = (bytes: Buffer) =>
  startsWith(bytes, 'RIFF') && /^WEBPVP8[ LX]$/.test(bytes.toString('latin1', 8, 16))

/** Chunks that make up the picture. */
const keptChunks = new Set(['VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ICCP'])
const pictureChunks = new Set(['VP8 ', 'VP8L', 'ANMF'])
const xmpFlag = 0x04

interface Place {
  /** Bytes up to the end of the container, and up to the end of the frame that is being read. */
  left: number
  frameLeft: number
}

function* strip(tape: Tape): Steps<void> {
  const header = yield* take(tape, 12)
  tape.kept.push(header)
  // Chunks have an even length, so an odd container ends one byte later.
  const place: Place = { left: evenly(header.readUInt32LE(4)) - 4, frameLeft: 0 }
  for (let chunks = 0; chunks < maxChunks && place.left >= 8; chunks++) {
    if (!(yield* hasMore(tape))) return
    if (place.frameLeft > 0 && place.frameLeft < 8) {
      yield* advance(place, place.frameLeft, pass(tape, place.frameLeft))
      continue
    }
    yield* readChunk(tape, place)
  }
  if (place.left >= 8) yield* pass(tape, Infinity)
  yield* pass(tape, Math.max(0, place.left))
  // Without a picture, nothing in the file can be understood.
  yield* tape.hasPicture ? skip(tape, Infinity) : pass(tape, Infinity)
}

/** Reads one chunk. The chunks of an animation's frame follow the header of the frame. */
function* readChunk(tape: Tape, place: Place): Steps<void> {
  const head = yield* take(tape, 8)
  const type = head.toString('latin1', 0, 4)
  if (head.length < 8) return void tape.kept.push(head)
  const isInFrame = place.frameLeft > 0
  const size = head.readUInt32LE(4)
  yield* advance(place, 8)
  const bytes = Math.min(evenly(size), isInFrame ? place.frameLeft : place.left)
  if (pictureChunks.has(type)) tape.hasPicture = true
  if (type === 'ANMF' && !isInFrame && size >= 16) {
    tape.kept.push(head)
    yield* advance(place, 16, pass(tape, 16))
    place.frameLeft = bytes - 16
    return
  }
  if (type === 'VP8X') {
    tape.kept.push(head)
    const flags = yield* take(tape, Math.min(1, bytes))
    tape.kept.push(flags.map((byte) => byte & ~xmpFlag) as Buffer)
    yield* pass(tape, bytes - 1)
  } else if (keptChunks.has(type)) {
    tape.kept.push(head)
    yield* pass(tape, bytes)
  } else if (type === 'EXIF' && !isInFrame) {
    tape.kept.push(head)
    yield* replaceExif(tape, bytes)
  } else {
    // Decoders ignore a chunk of an unknown type.
    head.write('JUNK', 'latin1')
    tape.kept.push(head)
    yield* blank(tape, bytes)
  }
  yield* advance(place, bytes)
}

/** Runs the steps and moves the place by so many bytes. */
function* advance(place: Place, bytes: number, steps?: Steps<void>): Steps<void> {
  if (steps) yield* steps
  place.left -= bytes
  if (place.frameLeft > 0) place.frameLeft -= bytes
}

const evenly = (bytes: number) => bytes + (bytes % 2)

/** Replaces EXIF data by data of the same length with the orientation only. */
function* replaceExif(tape: Tape, bytes: number): Steps<void> {
  const exif = yield* take(tape, Math.min(bytes, maxExifBytes))
  const { orientation } = readExif(isExif(exif) ? exif : Buffer.concat([Buffer.from('Exif\0\0'), exif]))
  const data = (orientation && writeExifData({ orientation })) || emptyExif
  const replaced = Buffer.alloc(exif.length)
  if (data.length <= exif.length) data.copy(replaced)
  tape.kept.push(replaced)
  yield* blank(tape, bytes - exif.length)
}

/** EXIF data without an entry. */
const emptyExif = Buffer.from('MM\0*\0\0\0\x08\0\0\0\0\0\0', 'latin1')

/** Keeps zeros in place of so many bytes, or of fewer at the end of the file. */
function* blank(tape: Tape, bytes: number): Steps<void> {
  for (let left = bytes; left > 0 && (yield* hasMore(tape)); ) {
    const piece = yield* take(tape, Math.min(left, tape.chunk.length - tape.at))
    tape.kept.push(Buffer.alloc(piece.length))
    left -= piece.length
  }
}
