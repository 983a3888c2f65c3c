import { type Failure, parameterProblem } from '../../platform/failure.ts'
import type { ReceivedFile } from '../../platform/object-store/objects.ts'
import { assertJsonBudget } from './json-budget.ts'

/**
 * Everything a request carried, before anybody looked at types. Bags and the bags inside them have no prototype, so
 * `__proto__` and `constructor` are names like any other.
 */
export type Bag = Record<string, unknown>

/** One `name=value` of a query or form, or one part of a multipart body; the name may nest (`a[]`, `a[b]`, `a[][b]`). */
export type Pair = readonly [name: string, value: string | ReceivedFile]

const maxPairs = 4096
const maxPairDepth = 32

export const emptyBag = (): Bag => Object.create(null)

/** Nests as Rack does. A repeated scalar keeps its last value; a name used in two shapes is a parameter problem. */
export function bagFromPairs(pairs: Iterable<Pair>): Bag {
  const bag = emptyBag()
  let count = 0
  for (const [name, value] of pairs) {
    count += 1
    if (count > maxPairs) throw tooManyPairs()
    const nesting = name.indexOf('[', 1)
    if (nesting !== -1) put(bag, name.slice(0, nesting), name.slice(nesting), value, 1)
    else if (name !== '') bag[name] = value
  }
  return bag
}

/** A query string without its `?`, or a form body; bytes must be UTF-8, with or without percent encoding. */
export function parseUrlencoded(text: string | Uint8Array): Bag {
  const decoded = typeof text === 'string' ? text : decodeUtf8(text, 'the form')
  return decoded === '' ? emptyBag() : bagFromPairs(pairsOf(decoded))
}

/** No bytes at all are an empty bag, because clients announce JSON on requests without a body. */
export function parseJsonObject(bytes: Uint8Array): Bag {
  const text = decodeUtf8(bytes, 'the JSON body')
  if (text.trim() === '') return emptyBag()
  assertJsonBudget(bytes)
  const value = withoutPrototypes(parseJson(text), { names: maxPairs })
  if (!isBag(value)) throw parameterProblem('the JSON body must be an object')
  return value
}

/** What the path says cannot be overruled; the body wins over the query. */
export function mergeBags(query: Bag, body: Bag, path: Bag): Bag {
  const bag = emptyBag()
  for (const source of [query, body, path]) for (const name in source) bag[name] = source[name]
  return bag
}

/** Only our own code can make one: no JSON or form value holds a `Uint8Array`. */
export function isReceivedFile(value: unknown): value is ReceivedFile {
  return typeof value === 'object' && value !== null && 'head' in value && value.head instanceof Uint8Array
}

/** Half a surrogate pair, which only JSON can bring in, has no UTF-8 form; it becomes U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}

function isBag(value: unknown): value is Bag {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null
}

function put(bag: Bag, key: string, rest: string, value: Pair[1], depth: number): void {
  if (depth > maxPairDepth) throw parameterProblem(`parameters may be nested ${maxPairDepth} levels deep`)
  if (rest === '') {
    bag[key] = value
    return
  }
  if (rest.startsWith('[]')) {
    putInList(bag, key, rest.slice(2), value, depth)
    return
  }
  bag[key] ??= emptyBag()
  const child = bag[key]
  if (!isBag(child)) throw twoShapes(key)
  const [childKey, childRest] = splitName(rest)
  put(child, childKey, childRest, value, depth + 1)
}

function putInList(bag: Bag, key: string, rest: string, value: Pair[1], depth: number): void {
  bag[key] ??= []
  const list = bag[key]
  if (!Array.isArray(list)) throw twoShapes(key)
  if (rest === '') {
    list.push(value)
    return
  }
  // `a[][b]=1&a[][c]=2&a[][b]=3` are two elements: a name that is already there begins the next one.
  const last: unknown = list.at(-1)
  const element = isBag(last) && !hasName(last, rest) ? last : emptyBag()
  if (element !== last) list.push(element)
  const [childKey, childRest] = splitName(rest)
  put(element, childKey, childRest, value, depth + 1)
}

/** `[b][c]` is `b` and what follows; brackets that do not pair up are part of the name. */
function splitName(rest: string): [key: string, rest: string] {
  if (rest.startsWith('[]')) return ['[]', rest.slice(2)]
  const end = rest.startsWith('[') ? rest.indexOf(']') : -1
  return end === -1 ? [rest, ''] : [rest.slice(1, end), rest.slice(end + 1)]
}

function hasName(bag: Bag, rest: string): boolean {
  let within: unknown = bag
  for (let left = rest; left !== ''; ) {
    const [key, after] = splitName(left)
    if (after.startsWith('[]') || !isBag(within) || within[key] === undefined) return false
    within = within[key]
    left = after
  }
  return true
}

const tooManyPairs = () => parameterProblem(`a request may carry at most ${maxPairs} parameters`)

function twoShapes(name: string): Failure {
  return parameterProblem(`${wellFormed(name.slice(0, 100))} is given in two different shapes`)
}

function* pairsOf(text: string): Generator<Pair> {
  for (let start = 0; start < text.length; ) {
    const ampersand = text.indexOf('&', start)
    const end = ampersand === -1 ? text.length : ampersand
    if (end > start) {
      const equals = text.indexOf('=', start)
      const nameEnd = equals === -1 || equals > end ? end : equals
      yield [decodePercent(text.slice(start, nameEnd)), decodePercent(text.slice(nameEnd + 1, end))]
    }
    start = end + 1
  }
}

function decodePercent(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw parameterProblem('the parameters must be percent-encoded UTF-8')
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw parameterProblem(`${what} must be UTF-8`)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw parameterProblem('the JSON body cannot be parsed')
  }
}

/** As deep as the JSON budget allows. */
function withoutPrototypes(value: unknown, left: { names: number }): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((element) => withoutPrototypes(element, left))
  const bag = emptyBag()
  for (const [key, element] of Object.entries(value)) {
    left.names -= 1
    if (left.names < 0) throw tooManyPairs()
    bag[key] = withoutPrototypes(element, left)
  }
  return bag
}
