import { hash } from 'node:crypto'
import { maxFingerprints } from '../../../findings/finding-key.ts'
import { findingNamespace, nameUuid } from './uuid.ts'

/** A fingerprint that a scanner assigns to a result and that does not change when the result moves. */
export interface Fingerprint {
  /** Name such as `primaryLocationLineHash` or `contextHash/v1`. */
  name: string
  value: string
}

/** Minimum length of a fingerprint; shorter values, such as columns, are not distinctive. */
const minCharacters = 8

/** Values that tools write in place of a fingerprint. */
const placeholders = new Set(['requires login', 'undefined', 'not available', 'not applicable'])

/** Names of values that many results share: of a commit, a whole file, or a column. */
const sharedFacts = /^commit|^(?:author|email|date|scanFileHash)$|column/i

/** Selects the distinctive fingerprints of a result: the highest version of each name first. */
export function chooseFingerprints(given: readonly Fingerprint[]): Fingerprint[] {
  // Linear time: it is anchored, and each character is compared once.
  const usable = given.filter(
    ({ name, value }) =>
      value.length >= minCharacters &&
      !/^(.)\1*$/.test(value) &&
      !placeholders.has(value.toLowerCase()) &&
      !sharedFacts.test(name),
  )
  // The sort is stable, so names keep their order.
  const highestFirst = usable.toSorted((a, b) =>
    baseOf(a.name) === baseOf(b.name) ? versionOf(b.name) - versionOf(a.name) : 0,
  )
  return highestFirst.slice(0, maxFingerprints)
}

const versioned = /\/v(\d{1,6})$/

const baseOf = (name: string): string => name.replace(versioned, '')
const versionOf = (name: string): number => Number(versioned.exec(name)?.[1] ?? 0)

/** Lookup keys of a fingerprint; they include the scanner and the rule. */
export interface FingerprintKey {
  /** Name without its version. */
  base: string
  inFile: string
  /** Begins with a prefix that depends on the name alone. */
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
 * Compares the fingerprints of a result with the `anywhere` keys of a known finding. For each name, the highest version
 * that both have decides. Returns undefined if they have no name in common.
 */
export function haveSameFingerprint(
  reported: readonly FingerprintKey[],
  known: readonly string[],
): boolean | undefined {
  const decided = new Map<string, boolean>()
  for (const { base, anywhere } of reported) {
    const isShared = known.some((key) => key.startsWith(anywhere.slice(0, nameCharacters)))
    if (isShared && !decided.has(base)) decided.set(base, known.includes(anywhere))
  }
  return decided.size === 0 ? undefined : [...decided.values()].includes(true)
}

/** Returns a uuid for a finding whose place belongs to a known finding with other fingerprints. */
export const disambiguatedUuid = (uuid: string, [first]: readonly Fingerprint[]): string =>
  nameUuid(findingNamespace, `${uuid}-${first?.name ?? ''}:${first?.value ?? ''}`)

export interface ReportedResult {
  reportType: string
  fingerprints: readonly FingerprintKey[]
}

export interface KnownResult {
  id: number
  reportType: string
  /** Presence on the ref; undefined if it was never observed there. */
  wasPresent: boolean | undefined
  inFile: readonly string[]
  anywhere: readonly string[]
  /** True if the finding can be matched only within its file. */
  staysInFile: boolean
}

/**
 * Pairs results with known findings of the same fingerprint, within the same file first. A fingerprint must be unique
 * in the report and among the known findings, where those present on the ref take precedence over absent ones.
 */
export function pairByFingerprint<Reported extends ReportedResult, Known extends KnownResult>(
  reported: readonly Reported[],
  known: readonly Known[],
  isRepeated: (key: string) => boolean,
): { reported: Reported; known: Known }[] {
  const pairs: { reported: Reported; known: Known }[] = []
  const taken = new Set<Reported | Known>()
  for (const scope of ['inFile', 'anywhere'] as const) {
    const byKey = new Map<string, Known[]>()
    for (const one of known) {
      const keys = scope === 'anywhere' && one.staysInFile ? [] : one[scope]
      for (const key of keys) byKey.set(key, [...(byKey.get(key) ?? []), one])
    }
    for (let index = 0; index < maxFingerprints; index++) {
      for (const one of reported) {
        const key = one.fingerprints[index]?.[scope]
        if (key === undefined || taken.has(one) || isRepeated(key)) continue
        const candidates = (byKey.get(key) ?? []).filter(
          (other) => !taken.has(other) && other.reportType === one.reportType,
        )
        const best = onlyBest(candidates)
        if (!best || !haveSameFingerprint(one.fingerprints, best.anywhere)) continue
        taken.add(one).add(best)
        pairs.push({ reported: one, known: best })
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
