import { type Failure, parameterProblem } from '../../platform/failure.ts'
import type { ReceivedFile } from '../../platform/object-store/objects.ts'
import { assertJsonBudget } from './json-budget.ts'

/**
 * Parameters of a request before validation. The prototype of the object and of nested objects is empty, so `__proto__`
 * and `constructor` are ordinary names.
 */
export type RawParams = Record<string, unknown>

/** A `name=value` of a query or form, or a part of a multipart body. The name may be nested: `a[]`, `a[b]`, `a[][b]`. */
export type Pair = readonly [name: string, value: string | ReceivedFile]

const maxPairs = 4096
const maxPairDepth = 32

/** Returns an object without inherited properties. V8 takes three times as long for one without a prototype. */
export const emptyParams = (): RawParams => Object.create(noProperties)

const noProperties: object = Object.freeze(Object.create(null))

/** Nests parameters as Rack does. The last value of a repeated scalar wins. Throws when a name has two shapes. */
export function paramsFromPairs(pairs: Iterable<Pair>): RawParams {
  const params = emptyParams()
  let count = 0
  for (const [name, value] of pairs) {
    count += 1
    if (count > maxPairs) throw tooManyPairs()
    const nesting = name.indexOf('[', 1)
    if (nesting !== -1) put(params, [name.slice(0, nesting), name.slice(nesting)], value, 1)
    else if (name !== '') params[name] = value
  }
  return params
}

/** Parses a query string without its `?`, or a form body. Bytes must be UTF-8, with or without percent encoding. */
export function parseUrlencoded(text: string | Uint8Array): RawParams {
  const decoded = typeof text === 'string' ? text : decodeUtf8(text, 'the form')
  return decoded === '' ? emptyParams() : paramsFromPairs(pairsOf(decoded))
}

/** Parses a JSON body. An empty body has no parameters, because some clients send a JSON content type without a body. */
export function parseJsonObject(bytes: Uint8Array): RawParams {
  const text = decodeUtf8(bytes, 'the JSON body')
  if (text.trim() === '') return emptyParams()
  assertJsonBudget(bytes)
  const value = withoutPrototypes(parseJson(text), { names: maxPairs })
  if (!isParams(value)) throw parameterProblem('the JSON body must be an object')
  return value
}

/** Merges parameters: the path overrides the body, which overrides the query. */
export function mergeParams(query: RawParams, body: RawParams, path: RawParams): RawParams {
  const params = emptyParams()
  for (const source of [query, body, path]) for (const name in source) params[name] = source[name]
  return params
}

/** Clients cannot forge a received file, because no JSON or form value contains a `Uint8Array`. */
export function isReceivedFile(value: unknown): value is ReceivedFile {
  return typeof value === 'object' && value !== null && 'head' in value && value.head instanceof Uint8Array
}

/** Replaces unpaired surrogates, which JSON can contain but UTF-8 cannot encode, by U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}

function isParams(value: unknown): value is RawParams {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === noProperties
}

/** First key of a nested name, and the brackets that follow. */
type NestedName = readonly [key: string, rest: string]

function put(params: RawParams, [key, rest]: NestedName, value: Pair[1], depth: number): void {
  if (depth > maxPairDepth) throw parameterProblem(`parameters may be nested ${maxPairDepth} levels deep`)
  if (rest === '') {
    params[key] = value
    return
  }
  if (rest.startsWith('[]')) {
    putInList(params, [key, rest.slice(2)], value, depth)
    return
  }
  params[key] ??= emptyParams()
  const child = params[key]
  if (!isParams(child)) throw twoShapes(key)
  put(child, splitName(rest), value, depth + 1)
}

function putInList(params: RawParams, [key, rest]: NestedName, value: Pair[1], depth: number): void {
  params[key] ??= []
  const list = params[key]
  if (!Array.isArray(list)) throw twoShapes(key)
  if (rest === '') {
    list.push(value)
    return
  }
  // `a[][b]=1&a[][c]=2&a[][b]=3` has two elements: a repeated name starts the next one.
  const last: unknown = list.at(-1)
  const element = isParams(last) && !hasName(last, rest) ? last : emptyParams()
  if (element !== last) list.push(element)
  put(element, splitName(rest), value, depth + 1)
}

/** Splits `[b][c]` into `b` and `[c]`. Unbalanced brackets are part of the name. */
function splitName(rest: string): NestedName {
  if (rest.startsWith('[]')) return ['[]', rest.slice(2)]
  const end = rest.startsWith('[') ? rest.indexOf(']') : -1
  return end === -1 ? [rest, ''] : [rest.slice(1, end), rest.slice(end + 1)]
}

function hasName(params: RawParams, rest: string): boolean {
  let within: unknown = params
  for (let left = rest; left !== ''; ) {
    const [key, after] = splitName(left)
    if (after.startsWith('[]') || !isParams(within) || within[key] === undefined) return false
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

/** Copies a JSON value into objects without prototypes. The JSON budget limits the recursion depth. */
function withoutPrototypes(value: unknown, left: { names: number }): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((element) => withoutPrototypes(element, left))
  const params = emptyParams()
  for (const [key, element] of Object.entries(value)) {
    left.names -= 1
    if (left.names < 0) throw tooManyPairs()
    params[key] = withoutPrototypes(element, left)
  }
  return params
}
