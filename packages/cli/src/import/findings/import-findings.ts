import { randomUUID } from 'node:crypto'
import type { Client, Schemas } from '@alcove/client'
import { projectOf } from '../../commands/project-of.ts'
import { type ConnectionOptions, connect } from '../../connection.ts'
import { counted } from '../../counted.ts'
import type { Io } from '../../io.ts'
import { plain, safeJson } from '../../safe-text.ts'
import type { FindingRecord, FindingSource, MappedFinding } from './record.ts'

export interface FindingImportOptions extends ConnectionOptions {
  project?: string
  dryRun?: boolean
  json?: boolean
}

/** Records per request: few enough that a request takes about a second. */
const maxBatch = 100
const maxBatchCharacters = 4 * 1024 * 1024

/** What an import has done, or would do. Its size does not grow with the number of findings. */
interface Summary {
  read: number
  skipped: number
  counts: Record<(typeof counters)[number], number>
  /** How often each status of the product became each state. */
  mapping: Map<string, number>
  /** How often each note was made, with the ids of some findings. */
  notes: Map<string, { count: number; ids: string[] }>
}

const counters = ['created', 'matched', 'unchanged', 'applied', 'requested', 'kept'] as const

/** Imports the findings of a source in batches, or describes what that would do. */
export async function importFindings(io: Io, source: FindingSource, options: FindingImportOptions): Promise<void> {
  const project = projectOf(io, options.project)
  const { client } = await connect(io, options)
  const summary: Summary = {
    read: 0,
    skipped: 0,
    counts: { created: 0, matched: 0, unchanged: 0, applied: 0, requested: 0, kept: 0 },
    mapping: new Map(),
    notes: new Map(),
  }
  const send = (records: readonly FindingRecord[]) =>
    sendBatch(client, { project, source, records, isDryRun: options.dryRun ?? false })
  for await (const records of batchesOf(source, summary)) add(summary, await send(records))
  const shown = describe(source, summary, options)
  io.stdout.write(options.json ? `${safeJson(shown)}\n` : `${inWords(source, summary, options).join('\n')}\n`)
}

/** Divides the findings into batches. A list that changes while it is read may contain a finding twice. */
async function* batchesOf(source: FindingSource, summary: Summary): AsyncGenerator<FindingRecord[]> {
  const seen = new Set<string>()
  let records: FindingRecord[] = []
  let characters = 0
  for await (const mapped of source.findings()) {
    if (seen.has(mapped.id)) continue
    seen.add(mapped.id)
    count(summary, mapped)
    if (!mapped.record) continue
    records.push(mapped.record)
    characters += JSON.stringify(mapped.record).length
    if (records.length >= maxBatch || characters > maxBatchCharacters) {
      yield records
      records = []
      characters = 0
    }
  }
  if (records.length > 0) yield records
}

function count(summary: Summary, { id, status, record, notes }: MappedFinding): void {
  summary.read++
  if (!record) summary.skipped++
  const becomes = record ? [record.state, record.dismissal_reason].filter(Boolean).join(', ') : 'not imported'
  const row = `${status} → ${becomes}`
  summary.mapping.set(row, (summary.mapping.get(row) ?? 0) + 1)
  for (const note of notes) addNote(summary, note, id)
}

const maxIds = 5
const maxNotes = 200

function addNote({ notes }: Summary, note: string, id: string): void {
  // Further ones are counted together, so that the memory stays bounded.
  const key = notes.has(note) || notes.size < maxNotes ? note : 'other notes'
  const known = notes.get(key) ?? { count: 0, ids: [] }
  known.count++
  if (known.ids.length < maxIds) known.ids.push(id)
  notes.set(key, known)
}

interface Batch {
  project: string
  source: FindingSource
  records: readonly FindingRecord[]
  isDryRun: boolean
}

function sendBatch(client: Client, { project, source, records, isDryRun }: Batch): Promise<Schemas['FindingImport']> {
  const batch = JSON.stringify({ source: source.source, source_name: source.name, records })
  const file = new File([batch], `${source.source}.json`, { type: 'application/json' })
  return client.call(
    'POST /projects/{id}/imported_findings',
    { path: { id: project }, body: { file, dry_run: isDryRun } },
    { idempotencyKey: randomUUID() },
  )
}

function add(summary: Summary, done: Schemas['FindingImport']): void {
  for (const name of counters) summary.counts[name] += done[name]
  for (const { id, notes } of done.records) for (const note of notes) addNote(summary, note, id)
}

function describe(source: FindingSource, summary: Summary, { dryRun = false }: FindingImportOptions): object {
  return {
    source: source.source,
    dry_run: dryRun,
    read: summary.read,
    skipped: summary.skipped,
    ...summary.counts,
    mapping: [...summary.mapping].map(([mapping, findings]) => ({ mapping, findings })),
    notes: [...summary.notes].map(([note, { count, ids }]) => ({ note, findings: count, ids })),
  }
}

function inWords(source: FindingSource, summary: Summary, { dryRun = false }: FindingImportOptions): string[] {
  const { read, skipped, counts, mapping, notes } = summary
  const would = (word: string) => (dryRun ? `would be ${word}` : word)
  const lines = [`${counted(read, 'finding')} of ${source.name}:`]
  for (const [row, findings] of mapping) lines.push(`  ${String(findings).padStart(6)}  ${plain(row)}`)
  lines.push(
    [
      `${counts.created} ${would('created')}`,
      `${counts.matched} ${dryRun ? 'match' : 'matched'} findings of the project`,
      `${counts.unchanged} unchanged since an earlier import`,
      ...(skipped > 0 ? [`${skipped} not imported`] : []),
    ].join(', '),
    [
      `${counted(counts.applied, 'decision')} ${would('applied')}`,
      ...(counts.requested > 0 ? [`${counts.requested} ${dryRun ? 'would await' : 'await'} approval`] : []),
      ...(counts.kept > 0 ? [`${counts.kept} kept, because users have decided in Alcove`] : []),
    ].join(', '),
  )
  if (notes.size > 0) lines.push('Without a counterpart:')
  for (const [note, { count, ids }] of notes) {
    const more = count > ids.length ? ', …' : ''
    lines.push(`  ${counted(count, 'finding')}: ${plain(note)} (${ids.map((id) => plain(id)).join(', ')}${more})`)
  }
  if (dryRun) lines.push('Nothing was changed. Run the command without --dry-run to import.')
  return lines
}
