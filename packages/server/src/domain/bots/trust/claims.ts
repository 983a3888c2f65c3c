import type { ClaimPatterns } from './trust-relation.ts'

export type Claims = Readonly<Record<string, unknown>>

/** Returns true when every listed claim has a value that matches one of its patterns. */
export function matchesClaims(claims: Claims, patterns: ClaimPatterns): boolean {
  return Object.entries(patterns).every(([name, allowed]) => {
    const values = valuesOf(Object.hasOwn(claims, name) ? claims[name] : undefined)
    return values.some((value) => allowed.some((pattern) => matchesPattern(value, pattern)))
  })
}

/** Returns the values of a claim as text. A list has several; an object or null has none. */
export function valuesOf(claim: unknown): string[] {
  return [claim].flat().flatMap((value) => {
    const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    return isScalar ? [String(value)] : []
  })
}

/** Returns true when the text equals the pattern, in which `*` stands for any characters. Takes linear time. */
export function matchesPattern(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return text === pattern
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  const end = text.length - last.length
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

const maxClaims = 20
const maxPatterns = 20
const maxLength = 1024

/** Reads patterns from the JSON of a request: a text, a number, a boolean or a list of them by claim. */
export function readPatterns(given: Claims): ClaimPatterns | undefined {
  const entries = Object.entries(given).map(([name, value]) => [name, valuesOf(value)] as const)
  const isValid =
    entries.length <= maxClaims &&
    entries.every(
      ([name, patterns]) =>
        name !== '' &&
        name.length <= maxLength &&
        patterns.length === [given[name]].flat().length &&
        patterns.length > 0 &&
        patterns.length <= maxPatterns &&
        patterns.every((pattern) => pattern !== '' && pattern.length <= maxLength),
    )
  return isValid ? Object.fromEntries(entries) : undefined
}

/** Returns true when a claim is restricted to values that do not include every text. */
export function isRestrictive(patterns: ClaimPatterns): boolean {
  return Object.values(patterns).some((allowed) => allowed.every((pattern) => /[^*]/.test(pattern)))
}
