import { identifierFingerprint } from './fingerprints.ts'
import { objectsOf } from './json-fields.ts'
import { webUrl } from './links.ts'
import type { Identifier } from './report.ts'

/** Reads a list of objects with `type`, `name`, `value` and perhaps `url`. */
export type IdentifierReader = (value: unknown, pointer: string) => Identifier[]

/** Reads lists of identifiers, each once; the first of a list is the primary one. */
export function startIdentifiers(dropped: (pointer: string) => void): IdentifierReader {
  // Thousands of findings share a few dozen rules.
  const fingerprints = new Map<string, string>()
  const fingerprint = (type: string, value: string) => {
    const key = `${type}:${value}`
    const known = fingerprints.get(key) ?? identifierFingerprint(type, value)
    fingerprints.set(key, known)
    return known
  }
  return (value, pointer) => {
    const identifiers = new Map<string, Identifier>()
    for (const [index, entry] of objectsOf(value).entries()) {
      const { type, value: externalId, name } = entry
      if (!isFilled(type) || !isFilled(externalId) || !isFilled(name)) continue
      const print = fingerprint(type, externalId)
      if (identifiers.has(print)) continue
      const url = webUrl(entry.url)
      if (entry.url && !url) dropped(`${pointer}/${index}/url`)
      identifiers.set(print, { externalType: type, externalId, name, url, fingerprint: print })
    }
    return [...identifiers.values()]
  }
}

const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== ''
