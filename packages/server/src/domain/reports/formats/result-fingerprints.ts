import { hash } from 'node:crypto'
import { findingNamespace, nameUuid } from './uuid.ts'

/** What a scanner says that it recognises a result by, wherever it moves. */
export interface Fingerprint {
  /** Such as `primaryLocationLineHash` or `contextHash/v1`. */
  name: string
  value: string
}

/** So many of a finding are kept. */
export const maxFingerprints = 4

/** Shorter values, such as a column, tell too little. */
const leastCharacters = 8

/** Written in place of a fingerprint. */
const placeholders = new Set(['requires login', 'undefined', 'not available', 'not applicable'])

/** Names of what many results share: facts about a commit, a whole file, or a column. */
const sharedFacts = /^(?:commit.*|author|email|date|scanFileHash|.*column.*)$/i

/** Chooses the fingerprints that may identify a result: the highest version of each name first. */
export function chooseFingerprints(given: readonly Fingerprint[]): Fingerprint[] {
  const usable = given.filter(
    ({ name, value }) =>
      value.length >= leastCharacters &&
      !/^(.)\1*$/.test(value) &&
      !placeholders.has(value.toLowerCase()) &&
      !sharedFacts.test(name),
  )
  // Sorting is stable, so that names stay in the order in which they were given.
  const highestFirst = usable.toSorted((a, b) =>
    baseOf(a.name) === baseOf(b.name) ? versionOf(b.name) - versionOf(a.name) : 0,
  )
  return highestFirst.slice(0, maxFingerprints)
}

const versioned = /\/v(\d{1,6})$/

const baseOf = (name: string): string => name.replace(versioned, '')
const versionOf = (name: string): number => Number(versioned.exec(name)?.[1] ?? 0)

/** A fingerprint as it is looked up: always together with the scanner and the rule. */
export interface FingerprintKey {
  /** The name without its version. */
  base: string
  inFile: string
  /** Begins with characters that stand for the name alone. */
  anywhere: string
}

const nameCharacters = 4
const keyCharacters = 22

export function fingerprintKeys(
  fingerprints: readonly Fingerprint[],
  { scanner, rule, file }: { scanner: string; rule: string; file: string },
): FingerprintKey[] {
  return fingerprints.map(({ name, value }) => ({
    base: baseOf(name),
    inFile: digest('in file', scanner, rule, file, name, value).slice(0, keyCharacters),
    anywhere: (digest(name).slice(0, nameCharacters) + digest('anywhere', scanner, rule, name, value)).slice(
      0,
      keyCharacters,
    ),
  }))
}

const digest = (...parts: string[]): string => hash('sha1', parts.join('\n'), 'base64url')

/**
 * Compares the fingerprints of a result with the `anywhere` keys of a known finding. Of each name the highest version that
 * both have decides. Undefined when they have no name in common.
 */
export function haveSameFingerprint(fresh: readonly FingerprintKey[], known: readonly string[]): boolean | undefined {
  const decided = new Map<string, boolean>()
  for (const { base, anywhere } of fresh) {
    const isShared = known.some((key) => key.startsWith(anywhere.slice(0, nameCharacters)))
    if (isShared && !decided.has(base)) decided.set(base, known.includes(anywhere))
  }
  return decided.size === 0 ? undefined : [...decided.values()].includes(true)
}

/** The uuid of a finding at a place whose own uuid belongs to a finding with other fingerprints. */
export const uuidBesides = (uuid: string, [first]: readonly Fingerprint[]): string =>
  nameUuid(findingNamespace, `${uuid}-${first?.name ?? ''}:${first?.value ?? ''}`)

export interface FreshResult {
  reportType: string
  fingerprints: readonly FingerprintKey[]
}

export interface KnownResult {
  id: number
  reportType: string
  /** On the ref: undefined when it was never there. */
  wasPresent: boolean | undefined
  inFile: readonly string[]
  anywhere: readonly string[]
  /** It is recognised in its own file only. */
  staysInFile: boolean
}

/**
 * Pairs results with known findings of the same fingerprint, in the same file first. A fingerprint counts only when one
 * result of the report and one known finding have it; what is on the ref goes before what was there once.
 */
export function pairByFingerprint<Fresh extends FreshResult, Known extends KnownResult>(
  fresh: readonly Fresh[],
  known: readonly Known[],
  isRepeated: (key: string) => boolean,
): { fresh: Fresh; known: Known }[] {
  const pairs: { fresh: Fresh; known: Known }[] = []
  const taken = new Set<Fresh | Known>()
  for (const scope of ['inFile', 'anywhere'] as const) {
    const byKey = new Map<string, Known[]>()
    for (const one of known) {
      const keys = scope === 'anywhere' && one.staysInFile ? [] : one[scope]
      for (const key of keys) byKey.set(key, [...(byKey.get(key) ?? []), one])
    }
    for (let index = 0; index < maxFingerprints; index++) {
      for (const one of fresh) {
        const key = one.fingerprints[index]?.[scope]
        if (key === undefined || taken.has(one) || isRepeated(key)) continue
        const candidates = (byKey.get(key) ?? []).filter(
          (other) => !taken.has(other) && other.reportType === one.reportType,
        )
        const best = onlyBest(candidates)
        if (!best || !haveSameFingerprint(one.fingerprints, best.anywhere)) continue
        taken.add(one).add(best)
        pairs.push({ fresh: one, known: best })
      }
    }
  }
  return pairs
}

function onlyBest<Known extends KnownResult>(candidates: readonly Known[]): Known | undefined {
  for (const wasPresent of [true, undefined, false]) {
    const some = candidates.filter((one) => one.wasPresent === wasPresent)
    if (some.length > 0) return some.length === 1 ? some[0] : undefined
  }
  return undefined
}
