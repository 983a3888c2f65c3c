import type { RecordColumns } from '../../db/db.ts'
import type { FindingKey } from './finding-key.ts'

/** Content of a finding as a report states it, ready to be stored. */
export interface FindingContent {
  uuid: string
  /** A `recordText` of `contentColumns`. */
  row: string
  identifierIds: readonly number[]
  keys: readonly FindingKey[]
}

/** Columns of `findings`, digest first. Scanner and primary identifier are given by external id and fingerprint. */
export const contentColumns = {
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
