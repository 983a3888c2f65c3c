import type { JsonObject } from '../formats/report.ts'

export interface Cleaned {
  nulCharacters: boolean
  loneSurrogates: boolean
  hugeNumbers: boolean
}

/**
 * Replaces, in place, values that JSON allows and the databases cannot store: the character NUL (by the text `\u0000`),
 * lone surrogates (by U+FFFD) and numbers that JavaScript parses as infinite. Works level by level, without recursion.
 */
export function cleanJson(root: unknown): Cleaned {
  const cleaned: Cleaned = { nulCharacters: false, loneSurrogates: false, hugeNumbers: false }
  let level: object[] = isContainer(root) ? [root] : []
  while (level.length > 0) {
    const next: object[] = []
    for (const container of level) {
      if (Array.isArray(container)) {
        for (let index = 0; index < container.length; index++) {
          const value = container[index]
          if (isContainer(value)) next.push(value)
          else if (isOdd(value)) container[index] = clean(value, cleaned)
        }
        // Any other container is an object.
      } else cleanObject(container as JsonObject, next, cleaned)
    }
    level = next
  }
  return cleaned
}

function cleanObject(object: JsonObject, next: object[], cleaned: Cleaned): void {
  for (const key of Object.keys(object)) {
    const value = object[key]
    const oddKey = isOdd(key)
    if (isContainer(value)) next.push(value)
    if (!oddKey && !isOdd(value)) continue
    if (oddKey) delete object[key]
    define(object, clean(key, cleaned), clean(value, cleaned))
  }
}

/** Defines a property. An assignment to `__proto__` would change the prototype of the object instead. */
function define(object: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}

const odd = /\0|\p{Surrogate}/u

const isOdd = (value: unknown): boolean =>
  typeof value === 'string' ? odd.test(value) : typeof value === 'number' && !Number.isFinite(value)

function clean<T>(value: T, cleaned: Cleaned): T {
  if (typeof value === 'string') {
    const withoutNul = value.replaceAll('\0', '\\u0000')
    const text = withoutNul.replace(/\p{Surrogate}/gu, '\ufffd')
    if (withoutNul !== value) cleaned.nulCharacters = true
    if (text !== withoutNul) cleaned.loneSurrogates = true
    return text as T
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    cleaned.hugeNumbers = true
    return (Math.sign(value) * Number.MAX_VALUE) as T
  }
  return value
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null
