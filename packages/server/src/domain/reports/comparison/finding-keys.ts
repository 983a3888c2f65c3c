import { hash } from 'node:crypto'
import { anywhereRank, type FindingKey, lineOf, ranks } from '../../findings/finding-key.ts'
import { findingUuid } from '../formats/identity/fingerprints.ts'
import { type FingerprintKey, fingerprintKeys } from '../formats/identity/result-fingerprints.ts'
import { type JsonObject, signatureAlgorithms } from '../formats/report.ts'
import type { ImportedFinding } from './imported-finding.ts'

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

function keyOf({ scanner, identifiers }: ImportedFinding, rank: number, parts: readonly string[]): string {
  const text = [rank, scanner.externalId, identifiers[0].fingerprint, ...parts].join('\n')
  return hash('sha1', text, 'base64url').slice(0, 22)
}

function textAt(location: JsonObject, name: string): string {
  const value = location[name]
  return typeof value === 'string' ? value : ''
}
