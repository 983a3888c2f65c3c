import { hash } from 'node:crypto'
import type { Dialect } from '../../../db/db.ts'
import { contentColumns } from '../../findings/finding-content.ts'
import { confidenceRanks, severityRanks } from '../../findings/scales.ts'
import type { ReportFinding } from '../formats/report.ts'

/** A finding during its import: the fields that matching needs, and the database row. */
export interface ImportedFinding
  extends Pick<
    ReportFinding,
    | 'uuid'
    | 'reportType'
    | 'name'
    | 'severity'
    | 'scanner'
    | 'identifiers'
    | 'location'
    | 'locationFingerprint'
    | 'signatures'
    | 'fingerprints'
    | 'codeExtract'
    | 'doubt'
    | 'pointer'
  > {
  digest: string
  /** A `recordText` of `contentColumns`, built once by the reader, because it is most of a finding's size. */
  row: string
  isLarge: boolean
}

const largeCharacters = 64 * 1024

export function importedFrom(finding: ReportFinding, { recordText }: Dialect): ImportedFinding {
  const { links, flags, evidence, assets, cvss, remediations, signatures, identifiers, rawMetadata } = finding
  const row: { [column in keyof typeof contentColumns]: unknown } = {
    digest: noDigest,
    uuid: finding.uuid,
    report_type: finding.reportType,
    scanner: finding.scanner.externalId,
    primary_identifier: identifiers[0].fingerprint,
    name: finding.name,
    description: finding.description,
    solution: finding.solution,
    severity: severityRanks[finding.severity],
    confidence: confidenceRanks[finding.confidence],
    cve: finding.cve,
    location: finding.location,
    location_fingerprint: finding.locationFingerprint,
    details: finding.details,
    extras: { links, flags, evidence: evidence ?? null, assets, cvss, remediations, signatures },
    metadata_version: finding.metadataVersion,
    raw_metadata: rawMetadata,
  }
  const text = recordText(row, contentColumns)
  const { fingerprints } = finding
  // An empty list is left out, so that findings without fingerprints keep their digest.
  const said = fingerprints.length > 0 ? JSON.stringify(fingerprints) : ''
  const digest = hash('sha1', digestVersion + JSON.stringify(identifiers) + said + text)
  return {
    uuid: finding.uuid,
    reportType: finding.reportType,
    name: finding.name,
    severity: finding.severity,
    scanner: finding.scanner,
    identifiers,
    location: finding.location,
    locationFingerprint: finding.locationFingerprint,
    signatures,
    fingerprints: finding.fingerprints,
    codeExtract: finding.codeExtract,
    doubt: finding.doubt,
    pointer: finding.pointer,
    digest,
    row: text.replace(noDigest, digest),
    isLarge: rawMetadata.length > largeCharacters,
  }
}

/** Returns the finding with another uuid. The row's first match is the uuid column, which precedes any report text. */
export const renamed = (finding: ImportedFinding, uuid: string): ImportedFinding => ({
  ...finding,
  uuid,
  row: finding.row.replace(finding.uuid, uuid),
})

/** Placeholder for the digest; in the first column, so that report text cannot contain an earlier match. */
const noDigest = '0'.repeat(40)

/** Version of the digest. Changing it makes every reported finding differ from its stored row and be stored again. */
const digestVersion = '3'
