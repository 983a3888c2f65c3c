import { confidences, dismissalReasons } from '../findings/scales.ts'
import type { FieldReader } from './fields.ts'
import type { ExactRecord } from './record.ts'

const maxText = 500
const maxName = 255
const maxJson = 4_000_000
const maxHistory = 10_000

/** Reads what an export of Alcove says beyond the fields that other products have. */
export function readExact(fields: FieldReader): ExactRecord {
  return {
    projectId: fields.integer('project_id'),
    uuid: fields.uuid('uuid'),
    confidence: fields.oneOf('confidence', confidences) ?? 'unknown',
    cve: fields.text('cve', maxText) ?? null,
    locationFingerprint: fields.text('location_fingerprint', maxText),
    details: fields.record('details', maxJson),
    extras: readExtras(fields),
    metadataVersion: fields.text('metadata_version', maxName) ?? '',
    rawMetadata: fields.text('raw_metadata', maxJson) ?? '{}',
    detectedAt: fields.time('detected_at'),
    createdAt: fields.time('created_at'),
    updatedAt: fields.time('updated_at'),
    isAutoResolved: fields.flag('auto_resolved'),
    isResolvedOnDefaultBranch: fields.flag('resolved_on_default_branch'),
    dismissalReason: fields.oneOf('dismissal_reason', dismissalReasons) ?? null,
    dismissed: { at: fields.time('dismissed_at') ?? null, by: fields.text('dismissed_by', maxName) },
    confirmed: { at: fields.time('confirmed_at') ?? null, by: fields.text('confirmed_by', maxName) },
    resolved: { at: fields.time('resolved_at') ?? null, by: fields.text('resolved_by', maxName) },
    fixAvailableAt: fields.time('fix_available_at') ?? null,
    changedAt: fields.time('changed_at'),
    author: fields.text('author', maxName),
    history: fields.objects('history', maxHistory).map((entry) => ({
      kind: entry.oneOf('kind', ['note', 'state', 'severity']) ?? 'note',
      username: entry.text('username', maxName),
      from: entry.text('from', maxName) ?? null,
      to: entry.text('to', maxName) ?? null,
      comment: entry.text('comment', maxJson) ?? null,
      dismissalReason: entry.oneOf('dismissal_reason', dismissalReasons) ?? null,
      createdAt: entry.time('created_at'),
    })),
  }
}

/** Lists of a finding that are stored as they are. */
function readExtras(fields: FieldReader): ExactRecord['extras'] {
  const extras = fields.record('extras', maxJson)
  const listOf = (name: string) => {
    const list = extras[name]
    return Array.isArray(list) ? list.filter((entry) => typeof entry === 'object' && entry !== null) : []
  }
  const { evidence } = extras
  return {
    links: listOf('links').filter(({ url }) => typeof url === 'string'),
    flags: listOf('flags'),
    evidence: typeof evidence === 'object' && evidence !== null && !Array.isArray(evidence) ? evidence : null,
    assets: listOf('assets').filter(({ url }) => typeof url === 'string'),
    cvss: listOf('cvss').filter(({ vendor, vector }) => typeof vendor === 'string' && typeof vector === 'string'),
    remediations: listOf('remediations'),
    signatures: listOf('signatures'),
  }
}
