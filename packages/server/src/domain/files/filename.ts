const maxFilenameBytes = 255
/** Maximum length of an extension. Longer text after the last dot is part of the name. */
const maxExtensionBytes = 100

/** Characters outside Ruby's `[[:word:]]`, except `.`, `-` and `+`: the rule of CarrierWave, which GitLab uses. */
const forbidden = /[^\p{Letter}\p{Mark}\p{Decimal_Number}\p{Connector_Punctuation}.\-+]/gu

/** Returns the name under which a file is stored, listed and linked, given the name that the client sent. */
export function sanitizeFilename(name: string): string {
  const sanitized = lastSegment(name.replaceAll('\\', '/')).replace(forbidden, '_')
  if (sanitized === '') return 'unnamed'
  return shorten(/^\.+$/.test(sanitized) ? `_${sanitized}` : sanitized)
}

/** Returns the extension, such as `.png` of `a.b.png`. As in Ruby, it is empty for `README` and `.png`. */
export function extensionOf(filename: string): string {
  return /^\.*[^.].*?(\.[^.]*)$/su.exec(filename)?.[1] ?? ''
}

/** Equivalent of Ruby's `File.basename`: ignores trailing slashes, and returns one slash for a path of slashes only. */
function lastSegment(path: string): string {
  // Linear time: a match begins only at the first slash of a row.
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
