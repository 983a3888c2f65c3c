/** The header that makes a browser save the file under this name. */
export function attachment(filename: string): string {
  return `attachment; ${nameParameters(filename)}`
}

/** The header that lets a browser show the file, and names it should it be saved. */
export function inline(filename: string): string {
  return `inline; ${nameParameters(filename)}`
}

/** Both forms: the plain one for old clients, kept ASCII, and RFC 5987's for everybody else. */
function nameParameters(filename: string): string {
  return `filename="${quotable(filename)}"; filename*=UTF-8''${percentEncoded(filename)}`
}

function quotable(filename: string): string {
  return (
    [...filename.normalize('NFC')]
      .map(toAscii)
      .join('')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get into a header
      .replace(/[\0-\x1f\x7f]/g, '_')
      .replace(/["\\]/g, '\\$&')
  )
}

function percentEncoded(filename: string): string {
  return Array.from(Buffer.from(filename), (byte) => {
    const character = String.fromCharCode(byte)
    const plain = /[A-Za-z0-9!#$&+.^_`|~-]/.test(character)
    return plain ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')
}

function toAscii(character: string): string {
  if (character < '\x80') return character
  const base = character.normalize('NFD').charAt(0)
  return spelledOut[character] ?? (base < '\x80' ? base : '?')
}

/** Letters that are no ASCII letter with a mark, as Rails transliterates them. */
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
