import type { Transform } from 'node:stream'
import { isExif, isSameResolution, type Resolution, readExif, writeExif } from './exif.ts'
import { hasMore, pass, type Steps, skip, startsWith, streamStripper, type Tape, take } from './strip-stream.ts'

/** Maximum number of segments. A file with more is an attack on processing time, so its remainder is copied unread. */
const maxSegments = 20_000

/**
 * Removes the metadata of a JPEG stream of any size, buffering at most 256 KiB. Keeps the application segments that
 * decoders need: JFIF without its thumbnail, the colour profile and Adobe's colour transform. Replaces EXIF with a new
 * segment of orientation and resolution. All other picture data is copied byte for byte.
 * Everything after the end of the picture is removed. Trailing data includes the video of a motion photo, previews,
 * depth and gain maps with their own metadata, and remainders of a picture from before it was cropped.
 * No file is rejected. Damaged files are read as decoders read them. A file without a picture, or one that does not
 * begin like a JPEG, is copied unchanged.
 */
export function jpegStripper(): Transform {
  return streamStripper(beginsLikeJpeg, strip)
}

/**
 * Returns true when another marker follows the first segment, or when that segment is EXIF, whose length may be wrong.
 */
function beginsLikeJpeg(bytes: Buffer): boolean {
  if (bytes.length < 6 || !startsWith(bytes, '\xff\xd8\xff')) return false
  const code = bytes.readUInt8(3)
  if (code === 0xff || (code === marker.app1 && isExif(bytes.subarray(6)))) return true
  return isMarker(code) && code !== marker.eoi && bytes[4 + bytes.readUInt16BE(4)] === 0xff
}

const marker = { soi: 0xd8, eoi: 0xd9, sos: 0xda, app0: 0xe0, app1: 0xe1, app2: 0xe2, app14: 0xee, com: 0xfe } as const

/** Any other code is a stuffed byte, fill byte, restart or reserved code, which belongs to the surrounding data. */
const isMarker = (code: number) => code >= 0xc0 && code !== 0xff && code !== marker.soi && !isRestart(code)
const isRestart = (code: number) => code >= 0xd0 && code <= 0xd7
const isMetadata = (code: number) => (code >= marker.app0 && code <= 0xef) || code === marker.com

/** Metadata found so far in a picture. */
interface Seen {
  density: Resolution | undefined
  exif: boolean
}

/** Generator that strips a picture. Yields when it has consumed the current chunk. */
function* strip(tape: Tape): Steps<void> {
  yield* pass(tape, 2)
  const seen: Seen = { density: undefined, exif: false }
  let wasKept = true
  for (let segments = 0; segments < maxSegments; segments++) {
    // Data after a dropped segment, up to the next marker, is the rest of a segment with a wrong length.
    const code: number | undefined = yield* nextMarker(tape, wasKept)
    if (code === undefined) return
    if (code === marker.eoi) {
      tape.kept.push(Buffer.of(0xff, code))
      if (tape.hasPicture) return
      wasKept = true
    } else {
      wasKept = yield* passSegment(tape, code, seen)
    }
    if (code === marker.sos) tape.hasPicture = true
  }
  yield* pass(tape, Infinity)
}

/** Copies the segment or its essential part. Returns false when the segment is dropped completely. */
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
    tape.kept.push(head, known) // the file ends here, within a harmless header
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

/** Returns a JFIF segment with the density but without the thumbnail. */
function jfifOf(known: Buffer, seen: Seen): Buffer | undefined {
  if (known.length < longestKnown || !startsWith(known, 'JFIF\0')) return undefined
  const density = (at: number) => [known.readUInt16BE(at), 1] as const
  seen.density = { unit: known.readUInt8(7) + 1, x: density(8), y: density(10) }
  return Buffer.concat([Buffer.of(0xff, marker.app0, 0, 16), known.subarray(0, 12), Buffer.of(0, 0)])
}

/** Returns the twelve bytes of Adobe's segment that describe the colour transform. */
function adobeOf(known: Buffer): Buffer | undefined {
  if (known.length < 12 || !startsWith(known, 'Adobe')) return undefined
  return Buffer.concat([Buffer.of(0xff, marker.app14, 0, 14), known.subarray(0, 12)])
}

/** Replaces the first EXIF segment before the first scan. Decoders ignore any later one. */
function* replaceExif(tape: Tape, bytes: number, seen: Seen): Steps<boolean> {
  const segment = yield* take(tape, bytes)
  if (!isExif(segment) || tape.hasPicture || seen.exif) return false
  const { resolution, ...exif } = readExif(segment)
  const isKnown = resolution && seen.density && isSameResolution(resolution, seen.density)
  const essence = writeExif({ ...exif, ...(resolution && !isKnown && { resolution }) })
  if (!essence) return false
  tape.kept.push(essence)
  seen.exif = true
  return false
}

/** Advances to the next marker and returns its code, `undefined` at the end. Copies skipped bytes only with `keep`. */
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
    // Restart markers occur only within a scan, so the skipped bytes are scan data and not a remainder.
    if (code !== undefined && isRestart(code)) isKept = true
    if (isKept) tape.kept.push(Buffer.of(0xff))
    if (code !== undefined && code !== 0xff) {
      if (isKept) tape.kept.push(Buffer.of(code))
      tape.at++
    }
  }
  return undefined
}

/** Returns the position of the next possible marker, or the end of the chunk. */
function endOfData(chunk: Buffer, from: number, isKept: boolean): number {
  let at = chunk.indexOf(0xff, from)
  while (at >= 0 && at + 1 < chunk.length) {
    const code = chunk.readUInt8(at + 1)
    if (isMarker(code) || (isRestart(code) && !isKept)) return at
    at = code === 0xff ? at + 1 : chunk.indexOf(0xff, at + 2)
  }
  return at < 0 ? chunk.length : at
}
