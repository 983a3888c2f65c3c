import { parameterProblem } from '../../platform/failure.ts'

const maxValues = 50_000
const maxDepth = 100

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Throws when a JSON text has too many values or levels. Runs before parsing, because an empty object takes two bytes of
 * text but fifty times as much memory. Property names count as values. Malformed text may pass.
 */
export function assertJsonBudget(bytes: Uint8Array): void {
  let values = 1
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) at = endOfString(bytes, at)
    else if (byte === comma || byte === colon) values += 1
    else if (byte === openBracket || byte === openBrace) {
      values += 1
      depth += 1
      if (depth > maxDepth) throw parameterProblem(`the JSON body may be nested ${maxDepth} levels deep`)
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1
    if (values > maxValues) throw parameterProblem(`the JSON body may hold at most ${maxValues} values`)
  }
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}
