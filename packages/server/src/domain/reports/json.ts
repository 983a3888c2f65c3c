import type { ReportProblem } from '../../platform/failure.ts'
import { cleanJson } from './clean-json.ts'
import { findSyntaxError } from './json-syntax.ts'
import { unreadable } from './unreadable.ts'

export interface ReportJson {
  value: unknown
  /** The same with line numbers as text, just as written; absent when JavaScript prints them that way anyway. */
  exactLines: unknown
  warnings: ReportProblem[]
}

/** More than any scanner writes, and little enough for every database and every recursive reader behind us. */
export const maxDepth = 1000

/** Reads JSON that nobody has checked; throws `Unreadable`. Of a key written twice the last value counts. */
export function parseReportJson(text: string): ReportJson {
  const value = parse(text)
  const { depth, nulCharacters, loneSurrogates, hugeNumbers } = cleanJson(value, maxDepth)
  if (depth > maxDepth) {
    throw unreadable(`The report is nested more than ${maxDepth} levels deep, which is as deep as this server reads.`)
  }
  const warnings: ReportProblem[] = []
  const warn = (message: string) => warnings.push({ type: 'Parsing', message, pointer: '' })
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
    const { line, column, what } = findSyntaxError(text)
    throw unreadable(`The file is not valid JSON; line ${line}, column ${column}: ${what}.`)
  }
}

// A key of valid JSON cannot be preceded by a backslash, so text that only looks like one inside a string is no match.
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
