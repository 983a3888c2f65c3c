import { hash } from 'node:crypto'
import type { Dialect, RecordColumns } from '../../../db/db.ts'
import { confidenceRanks, severityRanks } from '../../vulnerabilities/scales.ts'
import type { ReportFinding } from '../formats/report.ts'

/** A finding on its way into a project: what tells whether it is known, and the row that it becomes. */
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
  /** A `recordText` of `importedColumns`. Made once, by whoever reads, since it is most of what a finding is. */
  row: string
  isLarge: boolean
}

/** Columns of `findings`, the digest first; scanner and primary identifier by what they are known by in their project. */
export const importedColumns = {
  digest: 'text',
  uuid: 'text',
  report_type: 'text',
  scanner: 'text',
  primary_identifier: 'text',
  name: 'text',
  description: 'text',
  solution: 'text',
  severity: 'integer',
  confidence: 'integer',
  cve: 'text',
  location: 'json',
  location_fingerprint: 'text',
  details: 'json',
  extras: 'json',
  metadata_version: 'text',
  raw_metadata: 'text',
} as const satisfies RecordColumns

const largeCharacters = 64 * 1024

export function importedFrom(finding: ReportFinding, { recordText }: Dialect): ImportedFinding {
  const { links, flags, evidence, assets, cvss, remediations, signatures, identifiers, rawMetadata } = finding
  const row: { [column in keyof typeof importedColumns]: unknown } = {
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
  const text = recordText(row, importedColumns)
  const { fingerprints } = finding
  // Findings that were stored before their fingerprints were differ, and so are stored with them.
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

/** The same finding under another uuid, in its row too, where it comes before any text from the report. */
export const renamed = (finding: ImportedFinding, uuid: string): ImportedFinding => ({
  ...finding,
  uuid,
  row: finding.row.replace(finding.uuid, uuid),
})

/** Stands where the digest of the rest will: in the first column, before anything that somebody else wrote. */
const noDigest = '0'.repeat(40)

/** Another one makes every finding differ from what is stored, and so be stored anew when it is reported again. */
const digestVersion = '3'
