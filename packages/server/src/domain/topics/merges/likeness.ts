/** Why two topics may mean the same. */
export type Reason = 'case' | 'separators' | 'plural' | 'js' | 'spelling' | 'shared_projects'

/** A name as it is compared. Names with the same stem are alike. */
export interface Form {
  /** Without separators. */
  joined: string
  /** The same in lower case. */
  squashed: string
  /** Without `js` at the end. */
  base: string
  /** In the singular. */
  stem: string
}

export function formOf(name: string): Form {
  const joined = name.replace(/[\s\-_./:]+/g, '') || name
  const squashed = joined.toLowerCase()
  const base = squashed.length > 4 && squashed.endsWith('js') ? squashed.slice(0, -2) : squashed
  return { joined, squashed, base, stem: singular(base) }
}

/** Rough, since it only has to do the same to both words. */
function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /(ss|us|is|os)$/.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return /(ches|shes|xes|zes|sses)$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}

/** What tells apart two names of one stem. */
export function reasonsOf(a: Form, b: Form): Reason[] {
  const reasons: Reason[] = []
  if (a.joined !== b.joined && a.squashed === b.squashed) reasons.push('case')
  if (a.squashed === b.squashed) reasons.push('separators')
  if (isJs(a) !== isJs(b)) reasons.push('js')
  if (a.base !== b.base) reasons.push('plural')
  return reasons
}

const isJs = ({ squashed, base }: Form) => squashed !== base

/** How probable each reason makes it. */
const weights: Record<Reason, number> = {
  case: 0,
  separators: 0.97,
  plural: 0.9,
  js: 0.85,
  spelling: 0.6,
  shared_projects: 0,
}

/** From 0 to 1, in hundredths. `overlap`: of the projects that have either topic, the part that has both. */
export function scoreOf(reasons: readonly Reason[], overlap: number): number {
  // Two differences are less probable than either; the projects speak for themselves.
  const byName = reasons.reduce((product, reason) => product * (weights[reason] || 1), hasName(reasons) ? 1 : 0)
  return Math.round(100 * (1 - (1 - byName) * (1 - 0.7 * overlap))) / 100
}

const hasName = (reasons: readonly Reason[]) => reasons.some((reason) => weights[reason] > 0)

/** Shorter words that differ by a letter are different words. */
export const leastLength = 6

/** True when one letter was added, dropped, changed or swapped with its neighbour. Digits are versions, not slips. */
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
