/**
 * Globs, matched in a time that is linear in the length of the text: `?` stands for one character, `*` for any number, and
 * `**` as a part of a path for any number of folders. In paths, `?` and `*` do not stand for `/`, and a `/` at the end
 * means everything below. After `\`, these characters stand for themselves. There are no classes and no alternatives.
 */
interface GlobKind {
  /** Whether `*` and `?` stop at `/`, as in paths. In refs they do not. */
  isPath: boolean
}

/** Maximum length of a text that is tested. Longer ones match nothing. */
const maxText = 1_024

/** Number of texts whose result is kept, because many findings have the same path. */
const maxKept = 1_000

let evaluations = 0
/** Returns how often a glob with wildcards was evaluated against a text, character by character. For tests. */
export const countEvaluations = (): number => evaluations

/** Returns a test whether a text matches one of the globs completely. */
export function globTest(globs: readonly string[], { isPath }: GlobKind): (text: string) => boolean {
  const compiled = globs.map((glob) => compile(glob, isPath))
  const exact = new Set(compiled.filter(isExact).map(({ prefix }) => prefix))
  const patterns = compiled.filter((glob) => !isExact(glob))
  const kept = new Map<string, boolean>()
  const evaluate = (text: string) => {
    const isMatch = patterns.some((glob) => matches(glob, text))
    if (kept.size >= maxKept) kept.clear()
    kept.set(text, isMatch)
    return isMatch
  }
  return (text) => {
    const normal = isPath ? withoutRoot(text) : text
    if (normal.length > maxText) return false
    if (exact.has(normal)) return true
    return patterns.length > 0 && (kept.get(normal) ?? evaluate(normal))
  }
}

/** Returns the characters of those globs that have wildcards: what an evaluation costs. */
export const patternLength = (globs: readonly string[]): number =>
  globs.filter((glob) => /[*?]|\/$/.test(glob)).reduce((sum, glob) => sum + glob.length, 0)

/** Returns the glob that matches this path only. */
export const escapeGlob = (path: string): string => withoutRoot(path).replace(/[*?]|\/$/g, '\\$&')

/** Removes `./` or `/` from the beginning of a path. */
const withoutRoot = (path: string): string => (path.startsWith('./') ? path.slice(2) : path.replace(/^\//, ''))

/** A character, or what stands for characters. `folders` is followed by `inFolder`, and stands for both. */
type Token = { char: string } | 'one' | 'any' | 'anyInFolder' | 'oneInFolder' | 'folders' | 'inFolder'

interface Glob {
  /** The characters before the first wildcard. */
  prefix: string
  /** The characters after the last wildcard. */
  suffix: string
  /** The characters between wildcards, which a text has in this order. */
  literals: readonly string[]
  tokens: readonly Token[]
}

function compile(text: string, isPath: boolean): Glob {
  const glob = isPath ? withoutRoot(/(?<!\\)\/$/.test(text) ? `${text}**` : text) : text
  const tokens: Token[] = []
  const [one, any] = isPath ? (['oneInFolder', 'anyInFolder'] as const) : (['one', 'any'] as const)
  for (let at = 0; at < glob.length; at++) {
    const isStart = at === 0 || glob[at - 1] === '/'
    if (/^\\[*?/]/.test(glob.slice(at, at + 2))) {
      at += 1
      tokens.push({ char: glob.charAt(at) })
    } else if (isPath && isStart && glob.startsWith('**/', at)) {
      tokens.push('folders', 'inFolder')
      at += 2
    } else if (glob.startsWith('**', at)) {
      tokens.push('any')
      at += 1
    } else {
      const char = glob.charAt(at)
      tokens.push(char === '*' ? any : char === '?' ? one : { char })
    }
  }
  const literal = tokens.findIndex((token) => typeof token === 'string')
  const start = literal < 0 ? tokens : tokens.slice(0, literal)
  const literals = tokens
    .map((token) => (typeof token === 'string' ? '\0' : token.char))
    .join('')
    .split('\0')
    .filter((part) => part !== '')
  const end = tokens.slice(tokens.findLastIndex((token) => typeof token === 'string') + 1)
  return { prefix: charsOf(start), suffix: charsOf(end), literals, tokens }
}

const charsOf = (tokens: readonly Token[]): string =>
  tokens.map((token) => (typeof token === 'string' ? '' : token.char)).join('')

const isExact = ({ prefix, tokens }: Glob): boolean => prefix.length === tokens.length

/** Returns false for most texts that do not match, quickly. */
function hasLiterals({ literals }: Glob, text: string): boolean {
  let from = 0
  for (const part of literals) {
    const at = text.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return true
}

/** Follows all states at once: bit `n` is set if the text so far can stand before token `n`. */
function matches(glob: Glob, text: string): boolean {
  const { prefix, suffix, tokens } = glob
  if (!text.startsWith(prefix) || !text.endsWith(suffix) || !hasLiterals(glob, text)) return false
  evaluations += 1
  let states = new Uint8Array(tokens.length + 1)
  enter(states, tokens, prefix.length)
  for (let at = prefix.length; at < text.length; at++) {
    const next = new Uint8Array(tokens.length + 1)
    let isAlive = false
    for (let state = 0; state < tokens.length; state++) {
      const token = tokens[state]
      if (states[state] !== 1 || token === undefined) continue
      for (const reached of step(token, state, text.charAt(at))) {
        enter(next, tokens, reached)
        isAlive = true
      }
    }
    if (!isAlive) return false
    states = next
  }
  return states[tokens.length] === 1
}

/** Returns the states after a character. */
function step(token: Token, state: number, char: string): readonly number[] {
  switch (token) {
    case 'one':
      return [state + 1]
    case 'oneInFolder':
      return char === '/' ? [] : [state + 1]
    case 'any':
      return [state]
    case 'anyInFolder':
      return char === '/' ? [] : [state]
    case 'folders':
      return char === '/' ? [] : [state + 1]
    case 'inFolder':
      return char === '/' ? [state, state + 1] : [state]
    default:
      return token.char === char ? [state + 1] : []
  }
}

/** Sets a state, and those that it reaches without a character. */
function enter(states: Uint8Array, tokens: readonly Token[], first: number): void {
  for (let state = first; states[state] !== 1; ) {
    states[state] = 1
    const token = tokens[state]
    if (token === 'any' || token === 'anyInFolder') state += 1
    else if (token === 'folders') state += 2
    else return
  }
}
