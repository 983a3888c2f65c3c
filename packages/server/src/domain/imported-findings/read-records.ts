import { hash } from 'node:crypto'
import { reportRejected } from '../../platform/failure.ts'
import { dismissalReasons, reportTypes, type Severity, severities, states } from '../findings/scales.ts'
import { type FieldReader, openFields, type Problem } from './fields.ts'
import { readExact } from './read-exact.ts'
import { type FindingRecord, importSources, maxRecords, type RecordBatch } from './record.ts'

/**
 * Reads a batch: `{"source": …, "records": […]}`. Throws `reportRejected` with every problem when any part of it is
 * invalid, so that nothing of the batch is imported.
 */
export function readRecords(bytes: Buffer): RecordBatch {
  const problems: Problem[] = []
  const root = openFields(parse(bytes), '', problems)
  const source = root.oneOf('source', importSources)
  const sourceName = root.text('source_name', maxName)
  const listed = root.list('records')
  if (listed.length > maxRecords) {
    problems.push({ pointer: '/records', message: `has ${listed.length} records; a batch has up to ${maxRecords}` })
  }
  const records = listed
    .slice(0, maxRecords)
    .map((value, index) => readRecord(openFields(value, `/records/${index}`, problems), value))
  const ids = new Set<string>()
  for (const [index, { id }] of records.entries()) {
    if (ids.has(id)) problems.push({ pointer: `/records/${index}/id`, message: 'is the id of another record' })
    ids.add(id)
  }
  if (!source) problems.push({ pointer: '/source', message: `must be one of ${importSources.join(', ')}` })
  if (problems.length > 0 || !source) throw rejected(problems)
  return { source, sourceName: sourceName ?? source, records }
}

function parse(bytes: Buffer): unknown {
  const batch = parseJson(bytes)
  if (isDeeper(batch, maxDepth)) throw rejected([{ pointer: '', message: `has more than ${maxDepth} levels` }])
  return batch
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw rejected([{ pointer: '', message: 'is not valid JSON in UTF-8' }])
  }
}

/** Maximum number of nested lists and objects. Writing deep JSON, here or in a database, exhausts the stack. */
const maxDepth = 200

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((entry) => isDeeper(entry, depth - 1))
}

const maxShown = 20

const rejected = (problems: readonly Problem[]) =>
  reportRejected(problems.slice(0, maxShown).map(({ pointer, message }) => ({ type: 'Format', message, pointer })))

const maxName = 255
const maxText = 500
const maxUrl = 2048
const maxDescription = 100_000
const maxComment = 50_000
const maxNote = 1_000_000
const maxListed = 1000
const maxIdentifiers = 20
const maxEarlier = 200
const maxLocation = 20_000

function readRecord(fields: FieldReader, value: unknown): FindingRecord {
  const scanner = fields.object('scanner')
  const scannerId = scanner.text('external_id', maxName) ?? 'unknown'
  const severity: Severity = fields.oneOf('severity', severities) ?? 'unknown'
  return {
    id: fields.required('id', maxName),
    url: fields.webUrl('url', maxUrl),
    name: fields.required('name', maxName),
    description: fields.text('description', maxDescription) ?? null,
    solution: fields.text('solution', maxDescription) ?? null,
    severity,
    reportType: fields.oneOf('report_type', [...reportTypes, 'generic'] as const) ?? 'generic',
    scanner: {
      externalId: scannerId,
      name: scanner.text('name', maxName) ?? scannerId,
      vendor: scanner.text('vendor', maxName) ?? 'unknown',
    },
    identifiers: fields
      .objects('identifiers', maxIdentifiers)
      .map((one) => ({ one, externalId: one.required('external_id', maxText) }))
      .map(({ one, externalId }) => ({
        externalId,
        externalType: one.text('external_type', maxName) ?? 'other',
        name: one.text('name', maxText) ?? externalId,
        url: one.webUrl('url', maxUrl),
      })),
    location: fields.record('location', maxLocation),
    packageUrl: fields.text('package_url', maxText * 2),
    ...readDecision(fields),
    ...readRest(fields),
    exact: fields.has('exact') ? readExact(fields.object('exact')) : undefined,
    digest: hash('sha1', JSON.stringify(value)),
  }
}

function readDecision(fields: FieldReader) {
  return {
    state: fields.oneOf('state', states) ?? 'detected',
    dismissalReason: fields.oneOf('dismissal_reason', dismissalReasons),
    dismissedUntil: fields.date('dismissed_until'),
    dismissedUntilFixed: fields.flag('dismissed_until_fixed'),
    comment: fields.text('comment', maxComment),
    decidedAt: fields.time('decided_at'),
    decidedBy: fields.text('decided_by', maxName),
  } as const
}

function readRest(fields: FieldReader) {
  return {
    earlierDecisions: fields.objects('earlier_decisions', maxEarlier).map((decision) => ({
      state: decision.oneOf('state', states) ?? ('detected' as const),
      dismissalReason: decision.oneOf('dismissal_reason', dismissalReasons),
      comment: decision.text('comment', maxComment),
      decidedAt: decision.time('decided_at'),
      decidedBy: decision.text('decided_by', maxName),
    })),
    comments: fields.objects('comments', maxListed).map((comment) => ({
      body: comment.required('body', maxNote),
      author: comment.text('author', maxName),
      createdAt: comment.time('created_at'),
    })),
    assignee: fields.text('assignee', maxName),
    setSeverity: fields.oneOf('set_severity', severities),
    dueOn: fields.date('due_on'),
    tags: fields.tags('tags'),
    links: fields.objects('links', maxListed).map((link) => ({
      url: link.webUrl('url', maxUrl) ?? '',
      title: link.text('title', maxName),
    })),
    detectedAt: fields.time('detected_at'),
  }
}
