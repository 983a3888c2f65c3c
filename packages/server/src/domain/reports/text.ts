import { unreadable } from './unreadable.ts'

/** The text of a report file; throws `Unreadable` with a sentence for the person who sent it. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    throw unreadable('The file is compressed with gzip. Unpack it and send the JSON file itself.')
  }
  const text = decoded(bytes)
  if (text.trim() === '') throw unreadable('Report file is empty', 'EmptyFile')
  return text
}

function decoded(bytes: Uint8Array): string {
  // Half of a surrogate pair becomes U+FFFD here, as it does when written as an escape.
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw unreadable(`The file is not UTF-8 text: ${describeInvalidByte(bytes)}. Save it as UTF-8 and send it again.`)
  }
}

function describeInvalidByte(bytes: Uint8Array): string {
  // A lenient decoder puts U+FFFD where it stumbles: the first byte that does not survive the round trip is the place.
  const survived = Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  const offset = survived.findIndex((byte, index) => byte !== bytes[index])
  const at = offset < 0 ? bytes.length - 1 : offset
  let line = 1
  for (let index = 0; index < at; index++) if (bytes[index] === 0x0a) line++
  const hex = (bytes[at] ?? 0).toString(16).padStart(2, '0')
  return `byte 0x${hex} at offset ${at} (line ${line}) cannot stand there`
}
