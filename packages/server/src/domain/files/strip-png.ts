import type { Transform } from 'node:stream'
import { crc32 } from 'node:zlib'
import { readExif, writeExifData } from './exif.ts'
import { hasMore, pass, type Steps, skip, startsWith, streamStripper, type Tape, take } from './strip-stream.ts'

/** Maximum number of chunks. The remainder of a file with more is copied unread. */
const maxChunks = 100_000
/** Maximum size of EXIF data that is searched for an orientation. */
const maxExifBytes = 64 * 1024

/**
 * Removes the metadata of a PNG stream of any size: texts, times, EXIF except for the orientation, chunks of editors, and
 * everything after the end of the picture. Keeps all critical chunks and those that affect how a picture is displayed,
 * byte for byte. No file is rejected. From the first chunk that is not well-formed on, where decoders stop, a file is
 * copied unchanged, as is a file without a picture.
 */
export function pngStripper(): Transform {
  return streamStripper(beginsLikePng, strip)
}

const beginsLikePng = (bytes: Buffer) => startsWith(bytes, '\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR')

/** Ancillary chunks that affect how a picture is displayed: colours, background, size of pixels, animation, layout. */
const keptAncillary = new Set([
  ...['tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'mDCV', 'mDCv', 'cLLI', 'cLLi', 'sBIT', 'bKGD', 'hIST', 'sPLT'],
  ...['pHYs', 'sCAL', 'oFFs', 'pCAL', 'sTER', 'acTL', 'fcTL', 'fdAT', 'npTc'],
])

function* strip(tape: Tape): Steps<void> {
  yield* pass(tape, 8)
  let hasExif = false
  for (let chunks = 0; chunks < maxChunks; chunks++) {
    if (!(yield* hasMore(tape))) return
    const head = yield* take(tape, 8)
    const type = head.toString('latin1', 4)
    if (head.length < 8) return
    if (head.readUInt32BE() > 0x7fffffff || !/^[A-Za-z]{4}$/.test(type)) {
      tape.kept.push(head)
      break
    }
    const bytes = head.readUInt32BE()
    if (type === 'IDAT') tape.hasPicture = true
    if (type === 'eXIf' && !hasExif) {
      hasExif = true
      const exif = yield* take(tape, Math.min(bytes, maxExifBytes))
      yield* skip(tape, bytes + 4 - exif.length)
      tape.kept.push(...orientationChunk(exif))
    } else if (type.charAt(0) <= 'Z' || keptAncillary.has(type)) {
      tape.kept.push(head)
      yield* pass(tape, bytes + 4)
    } else {
      yield* skip(tape, bytes + 4)
    }
    if (type === 'IEND' && tape.hasPicture) {
      yield* skip(tape, Infinity)
      return
    }
  }
  yield* pass(tape, Infinity)
}

/** Returns a chunk with the orientation only. The size of pixels has a chunk of its own. */
function orientationChunk(exif: Buffer): Buffer[] {
  const { orientation } = readExif(Buffer.concat([Buffer.from('Exif\0\0'), exif]))
  const data = orientation && writeExifData({ orientation })
  if (!data) return []
  const typed = Buffer.concat([Buffer.from('eXIf'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(typed))
  return [length, typed, check]
}
