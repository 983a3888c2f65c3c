import { cleanJson } from './clean-json.ts'
import { findSyntaxError } from './json-syntax.ts'

export interface ReportJson {
  value: unknown
  /** The same with line numbers as text, just as written; absent when JavaScript prints them that way anyway. */
  exactLines: unknown
  warnings: string[]
}

/** Maximum nesting: more than any scanner writes, and little enough for every database and recursive reader. */
export const maxDepth = 1000

/** Thrown for a text that is not JSON: characters into a piece of text, bytes into a file. */
export class NotJson extends Error {
  readonly offset: number
  readonly what: string

  constructor(offset: number, what: string) {
    super(what)
    this.name = 'NotJson'
    this.offset = offset
    this.what = what
  }
}

/**
 * Parses a piece of a report; throws `NotJson`. The last value of a repeated key counts. The caller ensures that the
 * piece is not nested deeper than `maxDepth`.
 */
export function parseReportJson(text: string): ReportJson {
  const value = parse(text)
  if (!mayNeedCleaning(text)) return { value, exactLines: readExactLines(text), warnings: [] }
  const { nulCharacters, loneSurrogates, hugeNumbers } = cleanJson(value)
  const warnings: string[] = []
  const warn = (message: string) => warnings.push(message)
  if (nulCharacters) {
    warn('Report artifact contained unicode null characters which are escaped during the ingestion.')
  }
  if (loneSurrogates) warn('The report contained halves of characters (lone surrogates), which became U+FFFD.')
  if (hugeNumbers) warn('The report contained numbers too large to store, which became the largest possible number.')
  return { value, exactLines: readExactLines(text), warnings }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const { offset, what } = findSyntaxError(text)
    throw new NotJson(offset, what)
  }
}

/** Only an escape can be NUL or half a character, only an exponent or hundreds of digits a number out of range. */
const mayNeedCleaning = (text: string): boolean =>
  text.includes('\\u') || exponent.test(text) || hasDigitsInRow(text, 300)

// Linear: a match begins behind a delimiter, and a number has none.
const exponent = /[:,[\s]-?\d[\d.]{0,300}[eE]/

/** True when so many digits follow one another. Looks at one place in so many, and further only where a digit is. */
function hasDigitsInRow(text: string, count: number): boolean {
  for (let at = count - 1; at < text.length; ) {
    let start = at
    while (start > at - count && isDigit(text.charCodeAt(start))) start--
    if (start === at - count) return true
    at = start + count
  }
  return false
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

// A key of valid JSON cannot be preceded by a backslash, so text that only looks like one inside a string is no match.
// Linear: each match begins at one of two words, and what follows has no two ways to be read.
const oddLine = /(?<!\\)"(start_line|end_line)"\s*:\s*(-?\d+(?:[.eE][-+.eE\d]*|(?<=\d{16})))(?=\s*[,}])/g

/** Fingerprints print `10.0` as `10.0` and long integers with every digit; JavaScript's numbers can do neither. */
function readExactLines(text: string): unknown {
  if (text.search(oddLine) < 0) return undefined
  return JSON.parse(text.replace(oddLine, (_, key, number) => `"${key}":"${printAsWritten(number)}"`))
}

function printAsWritten(number: string): string {
  if (/^-?\d+$/.test(number)) return number
  const float = Number(number)
  return Number.isInteger(float) && Math.abs(float) < 1e16 ? `${float}.0` : String(float)
}
