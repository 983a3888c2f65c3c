import { hash } from 'node:crypto'
import { findingUuid } from '../formats/identity/fingerprints.ts'
import { type FingerprintKey, fingerprintKeys, maxFingerprints } from '../formats/identity/result-fingerprints.ts'
import { type JsonObject, signatureAlgorithms } from '../formats/report.ts'
import type { ImportedFinding } from './imported-finding.ts'

/**
 * Reasons for matching a reported finding with a known one that has another uuid: a former primary identifier; the same
 * fingerprint of the scanner; the same signature; the same place, if the uuid was computed from the place before or
 * after there was a signature; the same code in the same file or in another one; the only finding of its rule in a
 * function; or, if nothing else is known, the nearest finding of its rule in the file.
 */
export const matchReasons = [
  'identifier',
  'fingerprint',
  'signature',
  'location',
  'code',
  'code_elsewhere',
  'symbol',
  'nearest',
] as const
export type MatchReason = (typeof matchReasons)[number]

export interface FindingKey {
  /** Keys of lower rank are more reliable. */
  rank: number
  key: string
}

const ranks = { signature: 10, location: 20, code: 30, code_elsewhere: 40, symbol: 50 } as const

export const locationRank = ranks.location

/** Ranks below those of signatures belong to fingerprints: first per file, then across files. */
export const anywhereRank = 1 + maxFingerprints
export const isOfFingerprint = (rank: number): boolean => rank < ranks.signature

export function reasonOf(rank: number): MatchReason {
  if (rank < ranks.location) return 'signature'
  const found = Object.entries(ranks).find(([, own]) => own === rank)
  return matchReasons.find((reason) => reason === found?.[0]) ?? 'signature'
}

/** Returns true if several findings may share a key of this rank; they are paired in line order. */
export const mayBeSeveral = (rank: number): boolean => rank <= ranks.code

/** Returns true if keys of this rank identify findings within one file only. */
export const isOfOneFile = (rank: number): boolean =>
  rank !== ranks.code_elsewhere && !(isOfFingerprint(rank) && rank >= anywhereRank)

/** Minimum length of code that is matched across files; shorter code is too common. */
const minCodeElsewhere = 20

/**
 * Returns the keys that stay the same when the lines of a finding move. Every key includes scanner and primary
 * identifier. Only findings in code have them. The place is included if the uuid may have been computed from a
 * signature, which the finding has or once had.
 */
export function matchingKeys(finding: ImportedFinding, mayHaveHadSignature: boolean): FindingKey[] {
  const { location, signatures, codeExtract } = finding
  const keys = fingerprintKeysOf(finding).flatMap(({ inFile, anywhere }, index): FindingKey[] => [
    { rank: 1 + index, key: inFile },
    { rank: anywhereRank + index, key: anywhere },
  ])
  if (finding.reportType !== 'sast' && finding.reportType !== 'secret_detection') return keys
  const add = (rank: number, ...parts: string[]) => keys.push({ rank, key: keyOf(finding, rank, parts) })

  for (const { algorithm, sha } of signatures) {
    const best = signatureAlgorithms.length - 1 - signatureAlgorithms.indexOf(algorithm)
    add(ranks.signature + best, algorithm, sha)
  }
  if (signatures.length > 0 || mayHaveHadSignature) add(ranks.location, finding.locationFingerprint)
  const file = textAt(location, 'file')
  const code = codeExtract?.replace(/\s+/g, ' ').trim()
  if (code) {
    add(ranks.code, file, code)
    if (code.length >= minCodeElsewhere) add(ranks.code_elsewhere, code)
  }
  const [container, method] = [textAt(location, 'class'), textAt(location, 'method')]
  if (container || method) add(ranks.symbol, file, container, method)
  return keys
}

export const fingerprintKeysOf = ({
  fingerprints,
  scanner,
  identifiers,
  location,
}: ImportedFinding): FingerprintKey[] =>
  fingerprintKeys(fingerprints, {
    scanner: scanner.externalId,
    rule: identifiers[0].fingerprint,
    file: textAt(location, 'file'),
  })

/**
 * Returns the key that findings of one rule in one file share, for findings that differ only in their line. Secrets are
 * excluded: triaging one secret must not affect another one in the same file.
 */
export function nearestKey(finding: ImportedFinding): string | undefined {
  const { reportType, location } = finding
  const isBare = matchingKeys(finding, false).length === 0
  const file = textAt(location, 'file')
  const isNear = isBare && reportType === 'sast' && file !== '' && lineOf(location) > 0
  return isNear ? nearestKeyOf(finding.scanner.externalId, finding.identifiers[0].fingerprint, file) : undefined
}

export const nearestKeyOf = (scanner: string, rule: string, file: string): string =>
  hash('sha1', [scanner, rule, file].join('\n'), 'base64url').slice(0, 22)

const reorderingScanners = ['semgrep', 'gitleaks', 'gitlab-advanced-sast']

/**
 * Returns uuids that the same finding may have had: computed from its place if it now has a signature and, for scanners
 * that reorder their identifiers, from its other identifiers.
 */
export function formerUuids(
  finding: ImportedFinding,
  projectId: number,
): { uuid: string; reason: 'identifier' | 'location' }[] {
  const { reportType, identifiers, locationFingerprint, signatures, scanner } = finding
  const uuidOf = (fingerprint: string, place: string) => findingUuid(reportType, fingerprint, place, projectId)
  const [primary, ...others] = identifiers
  const former: { uuid: string; reason: 'identifier' | 'location' }[] = []
  if (signatures.length > 0) former.push({ uuid: uuidOf(primary.fingerprint, locationFingerprint), reason: 'location' })
  if (!reorderingScanners.includes(scanner.externalId)) return former
  const places = [locationFingerprint, ...signatures.slice(0, 1).map(({ algorithm, sha }) => `${algorithm}:${sha}`)]
  for (const { externalType, fingerprint } of others) {
    if (/^(?:cwe|owasp)$/i.test(externalType)) continue
    for (const place of places) former.push({ uuid: uuidOf(fingerprint, place), reason: 'identifier' })
  }
  return former
}

/** Returns the start line of a location, or 0. */
export function lineOf(location: JsonObject): number {
  const line = location['start_line']
  return typeof line === 'number' ? line : Number(line) || 0
}

function keyOf({ scanner, identifiers }: ImportedFinding, rank: number, parts: readonly string[]): string {
  const text = [rank, scanner.externalId, identifiers[0].fingerprint, ...parts].join('\n')
  return hash('sha1', text, 'base64url').slice(0, 22)
}

function textAt(location: JsonObject, name: string): string {
  const value = location[name]
  return typeof value === 'string' ? value : ''
}
