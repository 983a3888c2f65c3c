import { confidences, dismissalReasons } from '../findings/scales.ts'
import { readLinks } from '../reports/formats/fields/links.ts'
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

/** Reads lists of a finding. Entries that no report could have stored are dropped, because views rely on their fields. */
function readExtras(fields: FieldReader): ExactRecord['extras'] {
  const extras = fields.record('extras', maxJson)
  const { evidence } = extras
  return {
    links: readLinks(extras['links'], '', () => {}),
    flags: listOf(extras['flags'], ['type', 'origin', 'description']),
    evidence: typeof evidence === 'object' && evidence !== null && !Array.isArray(evidence) ? evidence : null,
    assets: listOf(extras['assets'], ['type', 'name', 'url']),
    cvss: listOf(extras['cvss'], ['vendor', 'vector']),
    remediations: listOf(extras['remediations'], ['summary', 'diff']),
    signatures: listOf(extras['signatures'], ['algorithm', 'sha']),
  }
}

/** Returns the entries of a list that have a text in each of the fields, without other fields. */
function listOf<const Field extends string>(list: unknown, names: readonly Field[]): Record<Field, string>[] {
  return (Array.isArray(list) ? list : []).flatMap((entry) => {
    const texts = names.map((name) => [name, Object(entry)[name]] as const)
    const isComplete = texts.every(([, text]) => typeof text === 'string')
    return isComplete ? [Object.fromEntries(texts) as Record<Field, string>] : [] // each field is a text
  })
}
