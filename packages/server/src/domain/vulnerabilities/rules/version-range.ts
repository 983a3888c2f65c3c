/*
 * Ranges of versions, in the notation of npm or of vers:
 *
 *     >=2.0 <2.17.1 || 1.2.x          ^1.4   ~1.4.2   1.0 - 2.0   2.14.1   *
 *     vers:maven/>=2.0|<2.17.1
 *
 * A version is numbers with dots, then optionally a pre-release such as `-beta.2` or `rc1`, and a build such as `+5`,
 * which is ignored. It is compared number by number, missing numbers are 0, and a pre-release precedes its release.
 * Unlike in npm, a range contains the pre-releases between its ends. Other versions, such as those of the packages of
 * Linux distributions with a revision, are in no range, because their order depends on the distribution.
 */

interface Version {
  numbers: readonly bigint[]
  /** Words and numbers of the pre-release; empty for a release. */
  preRelease: readonly (string | bigint)[]
}

type Operator = '<' | '<=' | '>' | '>=' | '=' | '!='
interface Comparator {
  operator: Operator
  version: Version
}

/** Comparators that must all hold; the lists are alternatives. */
type Range = readonly (readonly Comparator[])[]

const maxLength = 1_000

export const isVersionRange = (text: string): boolean => parseRange(text) !== undefined

/** Returns a test of versions. The range must be valid. */
export function versionTest(range: string): (version: string) => boolean {
  const parsed = parseRange(range)
  return (text) => {
    const version = parseVersion(text)
    if (!parsed || !version) return false
    return parsed.some((comparators) => comparators.every((comparator) => holds(comparator, version)))
  }
}

function holds({ operator, version }: Comparator, tested: Version): boolean {
  const order = compare(tested, version)
  switch (operator) {
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
    case '=':
      return order === 0
    case '!=':
      return order !== 0
  }
}

function parseRange(text: string): Range | undefined {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > maxLength) return undefined
  const alternatives = trimmed.startsWith('vers:') ? readVers(trimmed) : readNpm(trimmed)
  return alternatives?.every((comparators) => comparators !== undefined) ? alternatives : undefined
}

function readNpm(text: string): Range | undefined {
  const alternatives = text.split('||').map((part) => readAlternative(part.trim()))
  return alternatives.every((one) => one !== undefined) ? alternatives : undefined
}

function readAlternative(text: string): readonly Comparator[] | undefined {
  const words = text.split(' ').filter((word) => word !== '')
  if (words.length === 0) return undefined
  if (words.length === 3 && words[1] === '-') {
    const [from, to] = [parseVersion(words[0] ?? ''), parseVersion(words[2] ?? '')]
    return from && to && [at('>=', from), at('<=', to)]
  }
  const comparators: Comparator[] = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    // An operator may stand apart from its version.
    const joined = isOperator(word) ? word + (words[++index] ?? '') : word
    const read = readComparator(joined)
    if (!read) return undefined
    comparators.push(...read)
  }
  return comparators
}

const operators = ['<=', '>=', '!=', '<', '>', '='] as const
const isOperator = (word: string) => ['^', '~', ...operators].includes(word)

function readComparator(word: string): readonly Comparator[] | undefined {
  if (['*', 'x', 'X'].includes(word)) return []
  const [first] = word
  if (first === '^' || first === '~') {
    const version = parseVersion(word.slice(1))
    return version && [at('>=', version), at('<', first === '^' ? nextBreaking(version) : nextMinor(version))]
  }
  const operator = operators.find((one) => word.startsWith(one))
  if (operator) {
    const version = parseVersion(word.slice(operator.length))
    return version && [at(operator, version)]
  }
  const wildcard = ['.x', '.X', '.*'].find((end) => word.endsWith(end))
  const version = parseVersion(wildcard ? word.slice(0, -wildcard.length) : word)
  if (!version) return undefined
  return wildcard ? [at('>=', version), at('<', raised(version, version.numbers.length - 1))] : [at('=', version)]
}

/**
 * Reads a vers range. Its constraints are in ascending order; a lower bound and the next upper bound belong together.
 * Versions between two alternatives are in neither.
 */
function readVers(text: string): Range | undefined {
  const slash = text.indexOf('/')
  if (slash < 0) return undefined
  const constraints = text.slice(slash + 1).split('|')
  if (constraints.length === 1 && constraints[0] === '*') return [[]]
  const read = constraints.map((one) => readComparator(decode(one.trim())))
  const all = read.flatMap((one) => (one?.length === 1 ? one : []))
  if (all.length < constraints.length) return undefined
  const excluded = all.filter(({ operator }) => operator === '!=')
  const alternatives: Comparator[][] = []
  for (const comparator of all.filter(({ operator }) => operator !== '!=')) {
    const former = alternatives.at(-1)
    const isEnd = comparator.operator === '<' || comparator.operator === '<='
    const isOpen = former?.length === 1 && former[0]?.operator.startsWith('>')
    if (isEnd && isOpen) former.push(comparator)
    else alternatives.push([comparator])
  }
  if (alternatives.length === 0) return [excluded]
  return alternatives.map((comparators) => [...comparators, ...excluded])
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

const at = (operator: Operator, version: Version): Comparator => ({ operator, version })

/** Words that begin a pre-release. Others, such as `jre`, mean something else. */
const preReleaseWords = [
  ...['alpha', 'beta', 'rc', 'cr', 'pre', 'preview', 'dev', 'snapshot', 'milestone', 'canary', 'next', 'nightly'],
  ...['a', 'b', 'c', 'm'],
]

function parseVersion(text: string): Version | undefined {
  if (text.length > 200) return undefined
  const [, start = '', rest = ''] = /^v?(\d+(?:\.\d+)*)(.*)$/s.exec(text.trim()) ?? []
  if (start === '') return undefined
  const numbers = start.split('.').map(BigInt)
  const [preRelease = '', ...builds] = rest.split('+')
  if (builds.length > 1) return undefined
  if (preRelease === '') return { numbers, preRelease: [] }
  const parts = preRelease.toLowerCase().match(/[a-z]+|\d+|[^a-z\d]/g) ?? []
  const words = parts.filter((part) => !['-', '.', '_'].includes(part))
  if (!preReleaseWords.includes(words[0] ?? '') || words.some((word) => !/^[a-z\d]+$/.test(word))) return undefined
  return { numbers, preRelease: words.map((word) => (/^\d/.test(word) ? BigInt(word) : word)) }
}

function compare(one: Version, other: Version): number {
  for (let place = 0; place < Math.max(one.numbers.length, other.numbers.length); place++) {
    const order = compareParts(one.numbers[place] ?? 0n, other.numbers[place] ?? 0n)
    if (order !== 0) return order
  }
  const [a, b] = [one.preRelease, other.preRelease]
  if (a.length === 0 || b.length === 0) return Math.sign(b.length - a.length)
  for (let place = 0; place < Math.max(a.length, b.length); place++) {
    const [left, right] = [a[place], b[place]]
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1
    const order = compareParts(left, right)
    if (order !== 0) return order
  }
  return 0
}

/** Numbers precede words. */
function compareParts(one: string | bigint, other: string | bigint): number {
  if (typeof one !== typeof other) return typeof one === 'bigint' ? -1 : 1
  return one === other ? 0 : one < other ? -1 : 1
}

/** Returns the first version after those with the same numbers up to a place. It precedes its own pre-releases. */
const raised = ({ numbers }: Version, place: number): Version => ({
  numbers: numbers.slice(0, place + 1).map((number, index) => (index === place ? number + 1n : number)),
  preRelease: [0n],
})

const nextMinor = (version: Version) => raised(version, Math.min(1, version.numbers.length - 1))

/** Raises the first number that is not 0, or the last one. */
function nextBreaking(version: Version): Version {
  const first = version.numbers.findIndex((number) => number !== 0n)
  return raised(version, first < 0 ? version.numbers.length - 1 : first)
}
