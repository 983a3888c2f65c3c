/** Reasons for which two topics may be duplicates. */
export type Reason = 'case' | 'separators' | 'plural' | 'js' | 'spelling' | 'shared_projects'

/** Normalised forms of a name. Names with the same stem are similar. */
export interface Form {
  /** Name without separators. */
  joined: string
  /** Name without separators, in lower case. */
  squashed: string
  /** Squashed name without a final `js`. */
  base: string
  /** Base in the singular. */
  stem: string
}

export function formOf(name: string): Form {
  const joined = name.replace(/[\s\-_./:]+/g, '') || name
  const squashed = joined.toLowerCase()
  const base = squashed.length > 4 && squashed.endsWith('js') ? squashed.slice(0, -2) : squashed
  return { joined, squashed, base, stem: singular(base) }
}

/** Returns an approximate singular. It only has to treat both words alike. */
function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /(ss|us|is|os)$/.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return /(ches|shes|xes|zes|sses)$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}

/** Returns the differences between two names with the same stem. */
export function reasonsOf(a: Form, b: Form): Reason[] {
  const reasons: Reason[] = []
  if (a.joined !== b.joined && a.squashed === b.squashed) reasons.push('case')
  if (a.squashed === b.squashed) reasons.push('separators')
  if (isJs(a) !== isJs(b)) reasons.push('js')
  if (a.base !== b.base) reasons.push('plural')
  return reasons
}

const isJs = ({ squashed, base }: Form) => squashed !== base

/** Probability that topics with this difference are duplicates. */
const weights: Record<Reason, number> = {
  case: 0,
  separators: 0.97,
  plural: 0.9,
  js: 0.85,
  spelling: 0.6,
  shared_projects: 0,
}

/**
 * Returns a score between 0 and 1, rounded to hundredths. `overlap` is the share of projects with both topics, among
 * those with either.
 */
export function scoreOf(reasons: readonly Reason[], overlap: number): number {
  // Two differences are less probable than one. The overlap is independent evidence.
  const byName = reasons.reduce((product, reason) => product * (weights[reason] || 1), hasName(reasons) ? 1 : 0)
  return Math.round(100 * (1 - (1 - byName) * (1 - 0.7 * overlap))) / 100
}

const hasName = (reasons: readonly Reason[]) => reasons.some((reason) => weights[reason] > 0)

/**
 * Minimum length of words that are compared for spelling. Shorter words that differ by a letter are different words.
 */
export const leastLength = 6

/**
 * Returns true when the words differ by one letter that was added, dropped, replaced or swapped with its neighbour.
 * Different digits are different versions, not misspellings.
 */
export function isMisspelling(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || Math.min(a.length, b.length) < leastLength || a === b) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (/\d/.test(left + right)) return false
  if (left.length <= 1 && right.length <= 1) return true
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]
}
