import { hash } from 'node:crypto'
import type { Dialect, RecordColumns } from '../../db/db.ts'
import { confidenceRanks, severityRanks } from '../vulnerabilities/scales.ts'
import type { ReportFinding } from './report.ts'

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
    | 'codeExtract'
  > {
  digest: string
  /** A `recordText` of `importedColumns`. Made once, by whoever reads, since it is most of what a finding is. */
  row: string
  isLarge: boolean
}

/** Columns of `findings`; scanner and primary identifier by what they are known by in their project. */
export const importedColumns = {
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
  digest: 'text',
  metadata_version: 'text',
  raw_metadata: 'text',
} as const satisfies RecordColumns

const largeCharacters = 64 * 1024

export function importedFrom(finding: ReportFinding, { recordText }: Dialect): ImportedFinding {
  const { uuid, reportType, name, severity, scanner, identifiers, location, locationFingerprint } = finding
  const { signatures, codeExtract, rawMetadata } = finding
  const extras = extrasOf(finding)
  const digest = digestOf(finding, extras)
  const row: { [column in keyof typeof importedColumns]: unknown } = {
    uuid,
    report_type: reportType,
    scanner: scanner.externalId,
    primary_identifier: identifiers[0].fingerprint,
    name,
    description: finding.description,
    solution: finding.solution,
    severity: severityRanks[severity],
    confidence: confidenceRanks[finding.confidence],
    cve: finding.cve,
    location,
    location_fingerprint: locationFingerprint,
    details: finding.details,
    extras,
    digest,
    metadata_version: finding.metadataVersion,
    raw_metadata: rawMetadata,
  }
  return {
    ...{
      uuid,
      reportType,
      name,
      severity,
      scanner,
      identifiers,
      location,
      locationFingerprint,
      signatures,
      codeExtract,
    },
    digest,
    row: recordText(row, importedColumns),
    isLarge: rawMetadata.length > largeCharacters,
  }
}

const extrasOf = ({ links, flags, evidence, assets, cvss, remediations, signatures }: ReportFinding) => ({
  ...{ links, flags, evidence: evidence ?? null, assets, cvss, remediations, signatures },
})

/** Of everything that is stored of a finding; what keeps its digest is left alone. Long texts go in as they are: to escape them takes longer than all the rest. */
function digestOf(finding: ReportFinding, extras: ReturnType<typeof extrasOf>): string {
  const { uuid, severity, confidence, scanner, identifiers, location, details, metadataVersion } = finding
  const short = JSON.stringify([
    ...[uuid, severity, confidence, scanner.externalId, identifiers, location, details, extras, metadataVersion],
  ])
  const { name, description, solution, cve, rawMetadata } = finding
  return hash('sha1', [digestVersion, short, name, description, solution, cve, rawMetadata].join('\n'))
}

/** Another one makes every finding differ from what is stored, and so be stored anew when it is reported again. */
const digestVersion = '3'
