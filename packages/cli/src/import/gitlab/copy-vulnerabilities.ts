import { randomUUID } from 'node:crypto'
import type { Schemas } from '@alcove/client'
import { attempt, type Copy } from './copy.ts'
import { makeWritable } from './copy-projects.ts'
import { reportMissingVulnerabilities } from './missing-vulnerabilities.ts'
import { reportOtherBranches } from './other-branches.ts'
import { type SourceRow, textOf } from './source-row.ts'
import { readVulnerabilityDetails } from './vulnerability-details.ts'
import { recordOf } from './vulnerability-record.ts'

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
    const place = { id, name, hasComments: details !== undefined }
    const present = new Set<string>()
    let batch: SourceRow[] = []
    let absent = 0
    for await (const row of copy.source.list(`/projects/${sourceId}/vulnerabilities`)) {
      if (row['resolved_on_default_branch'] === true) absent++
      const record = await recordOf(copy, row, details?.get(String(row['id'])))
      present.add(String(record['id']))
      batch.push(record)
      if (batch.length < batchSize) continue
      await sendBatch(copy, { ...place, batch })
      batch = []
    }
    await sendBatch(copy, { ...place, batch })
    if (present.size > 0) await reportOtherBranches(copy, sourceId, name)
    if (absent > 0) {
      copy.report.note(
        `${name}: scanners no longer detect ${absent} of the vulnerabilities; the next report of each scanner records that here`,
      )
    }
    if (copy.mirror && id !== 'planned') {
      await reportMissingVulnerabilities(copy, { id, name, sourceName: sourceName(copy), present })
    }
  })
}

interface Batch {
  id: number | 'planned'
  name: string
  /** False: the source has refused to show comments. */
  hasComments: boolean
  batch: readonly SourceRow[]
}

async function sendBatch(copy: Copy, { id, name, hasComments, batch }: Batch): Promise<void> {
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
  for (const record of result.records) {
    reportRecord(copy, { record, name })
    const { missing_comments: comments } = record
    if (!hasComments || comments === 0) continue
    copy.report.note(
      `vulnerability of ${name} ${record.id}: ${comments} of its comments ${comments === 1 ? 'was' : 'were'} deleted or edited in the source, and the target keeps the former text`,
    )
  }
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
