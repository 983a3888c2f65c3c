import { identifierFingerprint } from '../identity/fingerprints.ts'
import type { Identifier } from '../report.ts'
import { objectsOf } from './json-fields.ts'
import { webUrl } from './links.ts'
import { shorten } from './shorten.ts'

/** Reads a list of objects with `type`, `name`, `value` and an optional `url`. */
export type IdentifierReader = (value: unknown, pointer: string) => Identifier[]

const maxType = 255
/** An index of PostgreSQL holds at most 2,704 bytes in a row, and a character has up to four. */
const maxText = 500

/** Creates a reader of identifier lists without duplicates. The first identifier of a list is the primary one. */
export function startIdentifiers(dropped: (pointer: string) => void): IdentifierReader {
  // Thousands of findings share a few dozen rules, so equal identifiers share one object.
  const known = new Map<string, Identifier>()
  const shared = (externalType: string, externalId: string, name: string, url: string | undefined): Identifier => {
    // The reader removes NUL from all texts, so it separates them.
    const key = `${externalType}\0${externalId}\0${name}\0${url ?? ''}`
    const before = known.get(key)
    if (before) return before
    const identifier = {
      externalType: shorten(externalType, maxType),
      externalId: shorten(externalId, maxText),
      name: shorten(name, maxText),
      url,
      // That of the whole texts, so that shortened ones stay apart.
      fingerprint: identifierFingerprint(externalType, externalId),
    }
    known.set(key, identifier)
    return identifier
  }
  return (value, pointer) => {
    const identifiers = new Map<string, Identifier>()
    for (const [index, entry] of objectsOf(value).entries()) {
      const { type, value: externalId, name } = entry
      if (!isFilled(type) || !isFilled(externalId) || !isFilled(name)) continue
      const url = webUrl(entry.url)
      const identifier = shared(type, externalId, name, url)
      if (identifiers.has(identifier.fingerprint)) continue
      if (entry.url && !url) dropped(`${pointer}/${index}/url`)
      identifiers.set(identifier.fingerprint, identifier)
    }
    return [...identifiers.values()]
  }
}

const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== ''
