import { hash } from 'node:crypto'
import { findingUuid } from '../formats/fingerprints.ts'
import { type JsonObject, signatureAlgorithms } from '../formats/report.ts'
import { type FingerprintKey, fingerprintKeys, maxFingerprints } from '../formats/result-fingerprints.ts'
import type { ImportedFinding } from './imported-finding.ts'

/**
 * Why a finding under another uuid was taken for one that is known: an identifier that used to be its first one; the same
 * fingerprint of the scanner; the same signature; the same place, of which the uuid was made before there was a signature or
 * after it was gone; the same code in the same file, or in another one; the only one of its rule in a function; or, where
 * there is nothing of all this, the nearest one of its rule in the file.
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
  /** The lower, the better it tells. */
  rank: number
  key: string
}

const ranks = { signature: 10, location: 20, code: 30, code_elsewhere: 40, symbol: 50 } as const

export const locationRank = ranks.location

/** Fingerprints come before: those of a file, then those that count in every file. */
export const anywhereRank = 1 + maxFingerprints
export const isOfFingerprint = (rank: number): boolean => rank < ranks.signature

export function reasonOf(rank: number): MatchReason {
  if (rank < ranks.location) return 'signature'
  const found = Object.entries(ranks).find(([, own]) => own === rank)
  return matchReasons.find((reason) => reason === found?.[0]) ?? 'signature'
}

/** Equal code stands where it stood before, in the order of its lines; the others must be alone to be told apart. */
export const mayBeSeveral = (rank: number): boolean => rank <= ranks.code

/** Whether those that have a key of this rank in common are in one file. */
export const isOfOneFile = (rank: number): boolean =>
  rank !== ranks.code_elsewhere && !(isOfFingerprint(rank) && rank >= anywhereRank)

/** Short code is too common to be recognised in another file. */
const leastCodeElsewhere = 20

/**
 * What the finding would still have in common with itself after the lines moved: always together with its scanner and its
 * first identifier. Other kinds of findings are not known by lines. Its place is one of them where its uuid may have been
 * made of something else: of the signature that it has, or once had.
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
    if (code.length >= leastCodeElsewhere) add(ranks.code_elsewhere, code)
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
 * What a finding in code has in common with others of its rule in its file, if nothing but its line tells them apart.
 * Secrets are left out: a decision about one says nothing of another one in the same file.
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

const renamers = ['semgrep', 'gitleaks', 'gitlab-advanced-sast']

/**
 * Uuids that the same finding may have had: made of its place where there is a signature now, and, for scanners that
 * change the order of their identifiers, of its other identifiers (contract 6.6, step 2).
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
  if (!renamers.includes(scanner.externalId)) return former
  const places = [locationFingerprint, ...signatures.slice(0, 1).map(({ algorithm, sha }) => `${algorithm}:${sha}`)]
  for (const { externalType, fingerprint } of others) {
    if (/^(?:cwe|owasp)$/i.test(externalType)) continue
    for (const place of places) former.push({ uuid: uuidOf(fingerprint, place), reason: 'identifier' })
  }
  return former
}

/** Where it begins, for the order of equal findings. */
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
