import { Failure } from '../../platform/failure.ts'
import type { Hook, HookDraft } from './hook.ts'

/** Secret values by name: additional headers, or variables of the URL. */
type Values = Readonly<Record<string, string>>

const maxValues = 20
const maxValueLength = 2048
const maxNameLength = 255

// Linear time: every part begins with a separator, and separators are in no part.
const namePattern = /^[A-Za-z]+[0-9]*(?:[._-][A-Za-z0-9]+)*$/
const printable = /^[\x20-\x7e]*$/

/** Headers that frame the request, and those by which receivers recognise and verify deliveries. */
const ownHeaders = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'traceparent',
  'tracestate',
  'upgrade',
  'user-agent',
])
const ownPrefixes = ['x-gitlab-', 'webhook-', 'proxy-']

/** Returns true for a name that a custom header may have. */
export function isUsableHeaderName(name: string): boolean {
  const key = name.toLowerCase()
  return isUsableName(name) && !ownHeaders.has(key) && !ownPrefixes.some((prefix) => key.startsWith(prefix))
}

export function assertHeadersUsable(headers: Values): void {
  const names = Object.keys(headers)
  const isDistinct = new Set(names.map((name) => name.toLowerCase())).size === names.length
  const isUsable = names.every(isUsableHeaderName) && Object.values(headers).every(isUsableHeaderValue)
  if (isUsable && isDistinct && names.length <= maxValues) return
  throw rejected('Custom headers validation failed')
}

/** Rejects variables with a name or value that is not allowed, and a URL that names other ones. */
export function assertVariablesUsable({ url, urlVariables }: Pick<HookDraft, 'url' | 'urlVariables'>): void {
  const entries = Object.entries(urlVariables)
  const isUsable = entries.every(([name, value]) => isUsableName(name) && isUsableLength(value))
  if (!isUsable || entries.length > maxValues) throw rejected('Illegal key or value')
  if (placeholdersOf(url).some((name) => urlVariables[name] === undefined)) throw rejected('Invalid url given')
}

const rejected = (sentence: string) => new Failure({ kind: 'unprocessable-parameter', sentence })

const isUsableName = (name: string): boolean => name.length <= maxNameLength && namePattern.test(name)
const isUsableLength = (value: string): boolean => value.length > 0 && value.length <= maxValueLength
// A space at either end would be removed by the receiver.
const isUsableHeaderValue = (value: string): boolean =>
  isUsableLength(value) && printable.test(value) && value.trim() === value

const placeholder = /\{([A-Za-z0-9._-]{1,255})\}/g

const placeholdersOf = (url: string): string[] => [
  ...new Set([...url.matchAll(placeholder)].map(([, name = '']) => name)),
]

/** Returns the URL with the values of its variables in place of their names in braces. */
export function interpolatedUrl({ url, urlVariables }: Pick<HookDraft, 'url' | 'urlVariables'>): string {
  return url.replace(placeholder, (text, name: string) => urlVariables[name] ?? text)
}

/** Shorter values are part of ordinary text. */
const minRedactedLength = 8

/** Returns a text of the receiver, or about it, in which the secret values of the hook are redacted. */
export function redactSecrets(
  text: string,
  { token, customHeaders, urlVariables }: Pick<Hook, 'token' | 'customHeaders' | 'urlVariables'>,
): string {
  const values = [token ?? '', ...Object.values(customHeaders), ...Object.values(urlVariables)]
  return values
    .filter((value) => value.length >= minRedactedLength)
    .sort((a, b) => b.length - a.length) // a value may contain another one
    .flatMap((value) => [value, value.toLowerCase()]) // host names are in lower case
    .reduce((redacted, value) => redacted.replaceAll(value, '[REDACTED]'), text)
}
