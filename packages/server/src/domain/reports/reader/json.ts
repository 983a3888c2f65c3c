import { cleanJson } from './clean-json.ts'
import { findSyntaxError } from './json-syntax.ts'

export interface ReportJson {
  value: unknown
  /** The value with its line numbers as verbatim text; absent when JavaScript prints them the same way. */
  exactLines: unknown
  warnings: string[]
}

/** Maximum nesting: deeper than the output of any scanner, and safe for the databases and recursive functions. */
export const maxDepth = 1000

/** Thrown for invalid JSON. The offset counts characters in a piece of text, and bytes in a file. */
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
 * Parses a piece of a report; throws `NotJson`. The last value of a repeated key wins. The caller ensures that the
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

/**
 * Returns false if no value can need cleaning. Needs no full scan: only escapes, exponents or very long numbers can.
 */
const mayNeedCleaning = (text: string): boolean =>
  text.includes('\\u') || (maybeExponent.test(text) && exponent.test(text)) || hasDigitsInRow(text, 300)

/** Part of every exponent that can exceed the range of numbers. Searching for it first takes half the time. */
const maybeExponent = /[\d.][eE][+\d]/
// Linear time: a match begins after a delimiter, and a number contains none.
const exponent = /[:,[\s]-?\d[\d.]{0,300}[eE]/

/** Returns true if the text contains `count` digits in a row. Samples every `count`-th character. */
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

// In valid JSON no backslash precedes a key, so similar text inside a string does not match.
// Linear time: each match begins with one of two words, and the rest matches in only one way.
const oddLine = /(?<!\\)"(start_line|end_line)"\s*:\s*(-?\d+(?:[.eE][-+.eE\d]*|(?<=\d{16})))(?=\s*[,}])/g
const usualLine = /\s*:\s*\d{1,15}\s*[,}]/y

/** Keeps line numbers as written, because fingerprints include them and JavaScript would print `10.0` as `10`. */
function readExactLines(text: string): unknown {
  if (!mayHaveOddLines(text)) return undefined
  if (text.search(oddLine) < 0) return undefined
  return JSON.parse(text.replace(oddLine, (_, key, number) => `"${key}":"${printAsWritten(number)}"`))
}

/** Tests each line number alone, which is faster than searching the whole text with `oddLine`. */
function mayHaveOddLines(text: string): boolean {
  for (let at = text.indexOf(lineKeyEnd); at >= 0; at = text.indexOf(lineKeyEnd, at)) {
    at += lineKeyEnd.length
    usualLine.lastIndex = at
    if (!usualLine.test(text)) return true
  }
  return false
}

/** End of the keys `start_line` and `end_line`. */
const lineKeyEnd = '_line"'

function printAsWritten(number: string): string {
  if (/^-?\d+$/.test(number)) return number
  const float = Number(number)
  return Number.isInteger(float) && Math.abs(float) < 1e16 ? `${float}.0` : String(float)
}
