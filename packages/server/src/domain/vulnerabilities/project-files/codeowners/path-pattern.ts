/** How a CODEOWNERS file is read: GitLab and GitHub differ in patterns and sections. */
export type Syntax = 'gitlab' | 'github'

/** Matches a path of the repository, given as its segments. */
export type PathPattern = (segments: readonly string[]) => boolean

/**
 * Compiles a pattern of CODEOWNERS, in which `\` escapes a character. GitLab: without a leading slash it matches in any folder, and only a
 * trailing slash selects the contents of a folder. GitHub: a slash within the pattern anchors it, and the name of a folder selects
 * its contents. Matching takes time proportional to the length of pattern and path multiplied.
 */
export function compilePattern(pattern: string, syntax: Syntax): PathPattern {
  const parts = splitEscaped(pattern)
  const isAnchored = parts[0] === ''
  const isFolder = parts.at(-1) === '' && parts.length > 1
  const names = parts.filter((part) => part !== '')
  const isNested = isAnchored || (syntax === 'github' && names.length > 1)
  const segments = (isNested ? names : ['**', ...names]).map(compileSegment)
  const last = names.at(-1)
  if (isFolder || last === '**') segments.push(anySegments, compileSegment('*'))
  const isWithin = syntax === 'github' && !isFolder && last !== '*' && last !== '**' && last !== undefined
  const within: Segment[] | undefined = isWithin ? [...segments, anySegments, compileSegment('*')] : undefined
  return (path) => matchAll(segments, path) || (within !== undefined && matchAll(within, path))
}

/** Longer paths and names, which file systems do not have, match nothing. */
const maxPath = 1_024
const maxDepth = 100
const maxName = 255

/** Returns the segments of a path that a scanner reports, or `undefined` if it is too long. */
export function segmentsOf(path: string): string[] | undefined {
  if (path.length > maxPath) return undefined
  const segments = path.split(/[/\\]/).filter((segment) => segment !== '' && segment !== '.')
  return segments.length > maxDepth || segments.some((segment) => segment.length > maxName) ? undefined : segments
}

const anySegments = Symbol('**')
type Segment = typeof anySegments | ((text: string) => boolean)

/** Splits at slashes. Escapes stay. */
function splitEscaped(pattern: string): string[] {
  const parts = ['']
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern.charAt(index)
    if (character === '/') parts.push('')
    else if (character === '\\' && index + 1 < pattern.length)
      parts[parts.length - 1] += character + pattern.charAt(++index)
    else parts[parts.length - 1] += character
  }
  return parts
}

/** Matches by trying the shortest part for the last `**` first, which is enough because a later `**` covers the rest. */
function matchAll(pattern: readonly Segment[], path: readonly string[]): boolean {
  return matchList(
    pattern,
    path,
    (segment) => segment === anySegments,
    (segment, text) => segment !== anySegments && segment(text),
  )
}

const star = Symbol('*')
type Character = typeof star | ((character: string) => boolean)

function compileSegment(text: string): Segment {
  if (text === '**') return anySegments
  if (!/[*?[\\]/.test(text)) return (name) => name === text
  if (!/[?[\\]/.test(text)) return starTest(text.split(/\*+/))
  const characters = charactersOf(text)
  return (name) =>
    matchList(
      characters,
      [...name],
      (one) => one === star,
      (one, character) => one !== star && one(character),
    )
}

/** Tests whether a name consists of the parts, in this order, with any characters between them. */
function starTest(parts: readonly string[]): (name: string) => boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  const inner = parts.slice(1, -1)
  return (name) => {
    if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false
    let from = first.length
    for (const part of inner) {
      const at = name.indexOf(part, from)
      if (at < 0) return false
      from = at + part.length
    }
    return from <= name.length - last.length
  }
}

function charactersOf(text: string): Character[] {
  const characters: Character[] = []
  const all = [...text]
  for (let index = 0; index < all.length; index++) {
    const character = all[index] ?? ''
    if (character === '*') {
      if (characters.at(-1) !== star) characters.push(star)
    } else if (character === '?') characters.push(() => true)
    else if (character === '[' && all.indexOf(']', index + 2) > 0) {
      const end = all.indexOf(']', index + 2)
      characters.push(setOf(all.slice(index + 1, end)))
      index = end
    } else {
      const literal = character === '\\' ? (all[++index] ?? '\\') : character
      characters.push((one) => one === literal)
    }
  }
  return characters
}

/** Compiles the inside of `[a-z]` or `[!a]`. */
function setOf(inside: readonly string[]): (character: string) => boolean {
  const isNegated = inside[0] === '!' || inside[0] === '^'
  const listed = isNegated ? inside.slice(1) : inside
  const ranges: [string, string][] = []
  for (let index = 0; index < listed.length; index++) {
    const from = listed[index] ?? ''
    const isRange = listed[index + 1] === '-' && index + 2 < listed.length
    ranges.push([from, isRange ? (listed[index + 2] ?? '') : from])
    if (isRange) index += 2
  }
  return (character) => ranges.some(([from, to]) => character >= from && character <= to) !== isNegated
}

/** Matches a whole list against a pattern with wildcards for any number of items. */
function matchList<Part, Item>(
  pattern: readonly Part[],
  items: readonly Item[],
  isWildcard: (part: Part) => boolean,
  matches: (part: Part, item: Item) => boolean,
): boolean {
  let [at, next] = [0, 0]
  let [retryPart, retryItem] = [-1, 0]
  while (next < items.length) {
    const part = pattern[at]
    const item = items[next] as Item // the index is below the length
    if (part !== undefined && isWildcard(part)) {
      retryPart = at++
      retryItem = next
    } else if (part !== undefined && matches(part, item)) {
      at++
      next++
    } else if (retryPart >= 0) {
      at = retryPart + 1
      next = ++retryItem
    } else return false
  }
  return pattern.slice(at).every(isWildcard)
}
