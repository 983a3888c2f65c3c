import type { ColumnValues, RecordColumns } from '../../db/db.ts'
import type { FindingKey } from './finding-key.ts'

/** Content of a finding as a report states it, ready to be stored. */
export interface FindingContent {
  uuid: string
  /** Values of `contentColumns`. */
  row: ColumnValues
  identifierIds: readonly number[]
  keys: readonly FindingKey[]
}

/**
 * Columns of `findings` that the digest covers, uuid first. Scanner and primary identifier are given by external id and
 * fingerprint.
 */
export const digestedColumns = {
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
} as const satisfies RecordColumns

/** All columns of a finding's content. The digest also covers the entry in `raw_metadata`. */
export const contentColumns = {
  ...digestedColumns,
  digest: 'text',
  raw_metadata: 'text',
  package_url: 'text',
  package_key: 'text',
  package_name: 'text',
} as const satisfies RecordColumns
