/** Returns a Content-Disposition header that makes browsers save the file under this name. */
export function attachment(filename: string): string {
  return `attachment; ${nameParameters(filename)}`
}

/** Returns a Content-Disposition header that lets browsers display the file, with a name for saving it. */
export function inline(filename: string): string {
  return `inline; ${nameParameters(filename)}`
}

/** Returns the name in both forms: in ASCII for old clients, and as defined in RFC 5987. */
function nameParameters(filename: string): string {
  return `filename="${quotable(filename)}"; filename*=UTF-8''${percentEncoded(filename)}`
}

/** Printable ASCII without quotes and backslashes. */
const quotableAsIs = /^[ !#-[\]-~]*$/
/** Characters that RFC 5987 allows without encoding. */
const encodedAsIs = /^[A-Za-z0-9!#$&+.^_`|~-]*$/

function quotable(filename: string): string {
  if (quotableAsIs.test(filename)) return filename
  return (
    [...filename.normalize('NFC')]
      .map(toAscii)
      .join('')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not get into a header
      .replace(/[\0-\x1f\x7f]/g, '_')
      .replace(/["\\]/g, '\\$&')
  )
}

function percentEncoded(filename: string): string {
  if (encodedAsIs.test(filename)) return filename
  return Array.from(Buffer.from(filename), (byte) => {
    const character = String.fromCharCode(byte)
    const plain = encodedAsIs.test(character)
    return plain ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')
}

function toAscii(character: string): string {
  if (character < '\x80') return character
  const base = character.normalize('NFD').charAt(0)
  return spelledOut[character] ?? (base < '\x80' ? base : '?')
}

/** Rails' transliteration of letters that are not an ASCII letter with a diacritic. */
const spelledOut: Readonly<Record<string, string>> = {
  ß: 'ss',
  Æ: 'AE',
  æ: 'ae',
  Ø: 'O',
  ø: 'o',
  Œ: 'OE',
  œ: 'oe',
  Đ: 'D',
  đ: 'd',
  Ð: 'D',
  ð: 'd',
  Þ: 'Th',
  þ: 'th',
  Ł: 'L',
  ł: 'l',
  Ħ: 'H',
  ħ: 'h',
  ı: 'i',
  Ŋ: 'NG',
  ŋ: 'ng',
  Ŧ: 'T',
  ŧ: 't',
}
