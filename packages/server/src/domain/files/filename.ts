const maxFilenameBytes = 255
/** More than this after the last dot is no extension but a name with a dot in it. */
const maxExtensionBytes = 100

/** What Ruby's `[[:word:]]` leaves out, with `.`, `-` and `+` allowed: CarrierWave's rule, as GitLab sets it. */
const forbidden = /[^\p{Letter}\p{Mark}\p{Decimal_Number}\p{Connector_Punctuation}.\-+]/gu

/** The name a file is stored, listed and linked under, made from the name a client sent. */
export function sanitizeFilename(name: string): string {
  const sanitized = lastSegment(name.replaceAll('\\', '/')).replace(forbidden, '_')
  if (sanitized === '') return 'unnamed'
  return shorten(/^\.+$/.test(sanitized) ? `_${sanitized}` : sanitized)
}

/** `.png` of `a.b.png`; empty for `README` and, as in Ruby, for names that only begin with dots, like `.png`. */
export function extensionOf(filename: string): string {
  return /^\.*[^.].*?(\.[^.]*)$/su.exec(filename)?.[1] ?? ''
}

/** Ruby's `File.basename`: trailing slashes do not count, and of nothing but slashes one stays. */
function lastSegment(path: string): string {
  const trimmed = path.replace(/(?<=[^/])\/+$/, '')
  if (/^\/+$/.test(trimmed)) return '/'
  return trimmed.slice(trimmed.lastIndexOf('/') + 1)
}

function shorten(filename: string): string {
  if (Buffer.byteLength(filename) <= maxFilenameBytes) return filename
  const found = extensionOf(filename)
  const extension = Buffer.byteLength(found) <= maxExtensionBytes ? found : ''
  let room = maxFilenameBytes - Buffer.byteLength(extension)
  let stem = ''
  for (const character of filename.slice(0, filename.length - extension.length)) {
    room -= Buffer.byteLength(character)
    if (room < 0) break
    stem += character
  }
  return stem + extension
}
