import { hash } from 'node:crypto'
import { columnValues } from '../../../db/column-values.ts'
import type { ColumnValues } from '../../../db/db.ts'
import { digestedColumns } from '../../findings/finding-content.ts'
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
  /** Values of `contentColumns`. Absent if the finding is stored with this uuid and digest. */
  row: ColumnValues | undefined
  isLarge: boolean
}

/** A reported finding that was stored with this digest when its report was read, and that has no effects but its presence. */
export interface UnchangedFinding extends Pick<ImportedFinding, 'uuid' | 'digest'> {
  isUnchanged: true
}

export type ImportedEntry = ImportedFinding | UnchangedFinding

export const isUnchanged = (entry: ImportedEntry): entry is UnchangedFinding => 'isUnchanged' in entry

export const isFinding = (entry: ImportedEntry): entry is ImportedFinding => !isUnchanged(entry)

export interface StatedSuppression extends Suppression {
  pointer: string
}

/** Returns true if a finding is stored with this uuid and digest. */
export type IsStored = (uuid: string, digest: string) => boolean

const largeCharacters = 64 * 1024

export function importedFrom(finding: ReportFinding, isStored: IsStored = () => false): ImportedFinding {
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
  const values = columnValues(columns, digestedColumns)
  const packageUrl = finding.isPackageDigested ? packageOf(finding)?.url : undefined
  const texts = [digestVersion, JSON.stringify(identifiers), JSON.stringify(fingerprints), packageUrl, ...values]
  // Reports contain no NUL characters (`cleanJson`), so NUL is a safe separator. Null and an empty text have the same digest.
  const digest = hash('sha1', [...texts, rawMetadata].join('\0'))
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
    row: isStored(uuid, digest) ? undefined : [...values, digest, rawMetadata, ...packageValues(packageOf(finding))],
    isLarge: rawMetadata.length > largeCharacters,
  }
}

const packageValues = (stored: FindingPackage | undefined) => [
  stored?.url ?? null,
  stored?.key ?? null,
  stored?.name ?? null,
]

/** Returns the row of a finding whose content must be stored. */
export function rowOf({ row, uuid }: ImportedFinding): ColumnValues {
  if (row === undefined) throw new Error(`the stored content of ${uuid} has changed during its import`)
  return row
}

/** Returns the finding with another uuid, which is the first value of its row. */
export const renamed = (finding: ImportedFinding, uuid: string): ImportedFinding => ({
  ...finding,
  uuid,
  row: finding.row?.with(0, uuid),
})

/** Version of the digest. Changing it makes every reported finding differ from its stored row and be stored again. */
const digestVersion = '5'
