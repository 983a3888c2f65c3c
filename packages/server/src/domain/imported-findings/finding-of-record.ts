import { hash } from 'node:crypto'
import { findingPackage, parsePackageUrl } from '../findings/package-url.ts'
import { confidenceRanks, severityRanks } from '../findings/scales.ts'
import { findingUuid, identifierFingerprint, locationFingerprint } from '../reports/formats/identity/fingerprints.ts'
import { findingNamespace, nameUuid } from '../reports/formats/identity/uuid.ts'
import type { FindingRecord, RecordIdentifier } from './record.ts'

/** Returns the identifiers of a record. One without any is identified by its title. */
export const identifiersOf = ({ identifiers, name }: FindingRecord): readonly RecordIdentifier[] =>
  identifiers.length > 0 ? identifiers : [{ externalType: 'name', externalId: name, name, url: undefined }]

export const fingerprintOf = ({ externalType, externalId }: RecordIdentifier): string =>
  identifierFingerprint(externalType, externalId)

/**
 * Returns the uuid that a report of the same scanner gives the finding, if its identifiers and its place are the same;
 * without a place, one of its own.
 */
export function uuidOf(record: FindingRecord, source: string, projectId: number): string {
  const { reportType, location, id, exact } = record
  if (exact?.uuid !== undefined && exact.projectId === projectId) return exact.uuid
  const [primary] = identifiersOf(record)
  if (reportType === 'generic' || !primary || Object.keys(location).length === 0) {
    return nameUuid(findingNamespace, `${source}\n${id}\n${projectId}`)
  }
  return findingUuid(reportType, fingerprintOf(primary), locationFingerprint(reportType, location), projectId)
}

/** Returns the content of the finding that a record becomes. */
export function rowOfRecord(record: FindingRecord, source: string, uuid: string) {
  const { name, description, solution, severity, scanner, reportType, location, packageUrl } = record
  const identifiers = identifiersOf(record)
  const entry = { id: record.id, name, description, solution, severity, scanner, identifiers, location }
  const { exact } = record
  const rawMetadata = exact?.rawMetadata ?? JSON.stringify(entry)
  const known = packageUrl === undefined ? undefined : parsePackageUrl(packageUrl)
  const stored = findingPackage(known, packageNameOf(location))
  return {
    uuid,
    report_type: reportType,
    scanner: scanner.externalId,
    primary_identifier: identifiers[0] && fingerprintOf(identifiers[0]),
    name,
    description,
    solution,
    severity: severityRanks[severity],
    confidence: confidenceRanks[exact?.confidence ?? 'unknown'],
    cve: exact ? exact.cve : cveOf(identifiers),
    location,
    location_fingerprint: exact?.locationFingerprint ?? fingerprintOfPlace(record, source),
    details: exact?.details ?? {},
    extras: exact?.extras ?? noExtras,
    metadata_version: exact?.metadataVersion ?? `import:${source}`,
    digest: hash('sha1', `${uuid}${rawMetadata}`),
    raw_metadata: rawMetadata,
    package_url: stored?.url ?? null,
    package_key: stored?.key ?? null,
    package_name: stored?.name ?? null,
  }
}

const noExtras = { links: [], flags: [], evidence: null, assets: [], cvss: [], remediations: [], signatures: [] }

const fingerprintOfPlace = ({ reportType, location, id }: FindingRecord, source: string): string =>
  reportType === 'generic' ? hash('sha1', `${source}\n${id}`) : locationFingerprint(reportType, location)

const cveOf = (identifiers: readonly RecordIdentifier[]): string | null =>
  identifiers.find(({ externalType }) => externalType.toLowerCase() === 'cve')?.externalId ?? null

function packageNameOf({ dependency }: FindingRecord['location']): string | undefined {
  const name = valueAt(valueAt(dependency, 'package'), 'name')
  return typeof name === 'string' ? name : undefined
}

const valueAt = (value: unknown, name: 'package' | 'name'): unknown =>
  typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined
