import { hash } from 'node:crypto'
import type { Dialect } from '../../../db/db.ts'
import { digestedColumns, finalColumns } from '../../findings/finding-content.ts'
import type { FindingPackage } from '../../findings/package-url.ts'
import { confidenceRanks, severityRanks } from '../../findings/scales.ts'
import type { Suppression } from '../../vulnerabilities/suppressions/suppression.ts'
import { packageOf } from '../formats/finding-package.ts'
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
  /** Set if the report states that the finding is suppressed, with the pointer of the entry. */
  suppression: StatedSuppression | undefined
  /**
   * A `recordText` of `contentColumns`, built once by the reader, because it is most of a finding's size. Absent if the
   * finding is stored with this uuid and digest, so that it need not be stored again.
   */
  row: string | undefined
  isLarge: boolean
}

export interface StatedSuppression extends Suppression {
  pointer: string
}

const largeCharacters = 64 * 1024

export function importedFrom(
  finding: ReportFinding,
  { recordText }: Dialect,
  isStored: (uuid: string, digest: string) => boolean = () => false,
): ImportedFinding {
  const { links, flags, evidence, assets, cvss, remediations, signatures, identifiers, fingerprints } = finding
  const { uuid, rawMetadata } = finding
  const columns: { [column in keyof typeof digestedColumns]: unknown } = {
    uuid,
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
  }
  const text = recordText(columns, digestedColumns)
  // An empty list is left out, so that findings without fingerprints keep their digest.
  const said = fingerprints.length > 0 ? JSON.stringify(fingerprints) : ''
  const apart = finding.isPackageDigested ? (packageOf(finding)?.url ?? '') : ''
  // The entry is hashed as it is: writing it as text within a record takes longer than hashing it.
  const digest = hash('sha1', digestVersion + JSON.stringify(identifiers) + said + apart + text + rawMetadata)
  return {
    uuid,
    reportType: finding.reportType,
    name: finding.name,
    severity: finding.severity,
    scanner: finding.scanner,
    identifiers,
    location: finding.location,
    locationFingerprint: finding.locationFingerprint,
    signatures,
    fingerprints,
    codeExtract: finding.codeExtract,
    doubt: finding.doubt,
    suppression: finding.suppression && { ...finding.suppression, pointer: finding.pointer },
    pointer: finding.pointer,
    digest,
    row: isStored(uuid, digest)
      ? undefined
      : joinRecords(
          text,
          recordText({ digest, raw_metadata: rawMetadata, ...packageColumns(packageOf(finding)) }, finalColumns),
        ),
    isLarge: rawMetadata.length > largeCharacters,
  }
}

const packageColumns = (stored: FindingPackage | undefined) => ({
  package_url: stored?.url,
  package_key: stored?.key,
  package_name: stored?.name,
})

/** Joins the texts of two records, which are JSON lists or JSON objects. */
const joinRecords = (first: string, second: string): string => `${first.slice(0, -1)},${second.slice(1)}`

/** Returns the row of a finding whose content must be stored. */
export function rowOf({ row, uuid }: ImportedFinding): string {
  if (row === undefined) throw new Error(`the stored content of ${uuid} has changed during its import`)
  return row
}

/** Returns the finding with another uuid. The row's first match is the uuid column, which precedes any report text. */
export const renamed = (finding: ImportedFinding, uuid: string): ImportedFinding => ({
  ...finding,
  uuid,
  row: finding.row?.replace(finding.uuid, uuid),
})

/** Version of the digest. Changing it makes every reported finding differ from its stored row and be stored again. */
const digestVersion = '4'
