import { randomUUID } from 'node:crypto'
import type { Schemas } from '@alcove/client'
import { attempt, type Copy } from './copy.ts'
import { makeWritable } from './copy-projects.ts'
import { type SourceRow, textOf } from './source-row.ts'
import { readVulnerabilityDetails } from './vulnerability-details.ts'
import { recordOf } from './vulnerability-record.ts'

/** What the import does not copy, because no API of the source lists it. */
const otherBranches =
  'the source does not list on which other branches a vulnerability is present, so the next report of each branch records it'

/** Number of vulnerabilities that are sent together. */
const batchSize = 200

/**
 * Copies the vulnerabilities of a project: findings from the list of the REST API, and decisions, comments, authors and
 * links from GraphQL. The target skips what has not changed, and keeps what its users have decided.
 */
export async function copyVulnerabilities(copy: Copy, project: SourceRow): Promise<void> {
  const sourceId = String(project['id'])
  const name = textOf(project, 'path_with_namespace') ?? ''
  const id = copy.ids.find('project', sourceId)
  if (id === undefined) return
  copy.progress.show(`Vulnerabilities of ${name}`)
  await attempt(copy, { kind: 'vulnerabilities', name }, async () => {
    const details = await readVulnerabilityDetails(copy, name)
    let batch: SourceRow[] = []
    let absent = 0
    let total = 0
    for await (const row of copy.source.list(`/projects/${sourceId}/vulnerabilities`)) {
      if (row['resolved_on_default_branch'] === true) absent++
      total++
      batch.push(await recordOf(copy, row, details?.get(String(row['id']))))
      if (batch.length < batchSize) continue
      await sendBatch(copy, { id, name, batch })
      batch = []
    }
    await sendBatch(copy, { id, name, batch })
    if (total > 0) copy.report.note(otherBranches)
    if (absent > 0) {
      copy.report.note(
        `${name}: scanners no longer detect ${absent} of the vulnerabilities; the next report of each scanner records that here`,
      )
    }
  })
}

interface Batch {
  id: number | 'planned'
  name: string
  batch: readonly SourceRow[]
}

async function sendBatch(copy: Copy, { id, name, batch }: Batch): Promise<void> {
  if (batch.length === 0) return
  if (id === 'planned') {
    for (const _ of batch) copy.report.count('vulnerability', 'created')
    return
  }
  const batchFile = { source: 'gitlab', source_name: sourceName(copy), records: batch }
  const file = new File([JSON.stringify(batchFile)], 'vulnerabilities.json', { type: 'application/json' })
  const send = (dry_run: boolean) =>
    copy.target.call(
      'POST /projects/{id}/imported_findings',
      { path: { id }, body: { file, dry_run } },
      { idempotencyKey: randomUUID() },
    )
  // An archived project rejects a batch even when nothing in it has changed.
  const isWritable = await isUnarchived(copy, id)
  if (copy.isDryRun && !isWritable) return
  if (!isWritable) await makeWritable(copy, id)
  const result = await send(copy.isDryRun)
  for (const record of result.records) reportRecord(copy, { record, name })
}

async function isUnarchived({ target }: Copy, id: number): Promise<boolean> {
  return (await target.call('GET /projects/{id}', { path: { id }, query: {} })).archived !== true
}

function reportRecord(
  { report }: Copy,
  { record, name }: { record: Schemas['FindingImport']['records'][number]; name: string },
): void {
  const isSame = record.outcome === 'unchanged'
  report.count('vulnerability', isSame ? 'unchanged' : record.outcome === 'created' ? 'created' : 'updated')
  const kind = `vulnerability of ${name}`
  for (const reason of record.notes) report.skip({ kind, name: record.id, reason })
  if (record.decision === 'kept') report.note(`${kind} ${record.id}: the decision made in the target was kept`)
  if (record.decision === 'requested') report.note(`${kind} ${record.id}: the dismissal awaits approval in the target`)
}

/** Returns the name of the source, as histories show it. */
function sourceName({ source }: Copy): string {
  return new URL(source.url).host
}
