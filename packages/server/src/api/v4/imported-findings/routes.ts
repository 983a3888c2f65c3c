import Type, { type Static } from 'typebox'
import type { RootDeps } from '../../../domain/deps.ts'
import type { Origin } from '../../../domain/findings/imported-findings/imported-record.ts'
import {
  importFindings,
  listImportedFindings,
  listOrigins,
  recordOutcomes,
} from '../../../domain/imported-findings/import-findings.ts'
import { readRecords } from '../../../domain/imported-findings/read-records.ts'
import { importSources, maxRecords } from '../../../domain/imported-findings/record.ts'
import { importedOutcomes } from '../../../domain/vulnerabilities/imported-triage/imported-triage.ts'
import { fileOf, flag, oneOf, optional, text } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableInteger, nullableString, timestamp } from '../views.ts'

const enumOf = <const T extends string>(values: readonly T[]) => Type.Unsafe<T>({ type: 'string', enum: values })

const importView = Type.Object(
  {
    source: enumOf(importSources),
    dry_run: Type.Boolean(),
    created: Type.Integer({ description: 'Number of records that became new findings' }),
    matched: Type.Integer({ description: 'Number of records about findings that the project had' }),
    unchanged: Type.Integer({ description: 'Number of records that have not changed since they were imported' }),
    applied: Type.Integer({ description: 'Number of records whose decision was applied' }),
    requested: Type.Integer({ description: 'Number of dismissals that await the approval of a second person' }),
    kept: Type.Integer({ description: 'Number of records that a decision in Alcove precedes' }),
    records: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          outcome: enumOf(recordOutcomes),
          decision: enumOf(importedOutcomes),
          vulnerability_ids: Type.Array(Type.Integer(), { description: 'Not stable in a dry run for new findings' }),
          notes: Type.Array(Type.String(), { description: 'What has no counterpart, with the reason' }),
          missing_comments: Type.Integer({
            description: 'Number of comments of an earlier import that the record no longer has. They stay',
          }),
        },
        { title: 'ImportedRecord' },
      ),
      { description: 'In the order of the batch' },
    ),
  },
  { title: 'FindingImport' },
)

const originFields = {
  source: Type.String(),
  source_name: Type.String({ description: 'Name of the product' }),
  source_id: Type.String({ description: 'Id in the product' }),
  source_url: nullableString,
  created: Type.Boolean({ description: 'True if the import has created the finding' }),
  created_at: timestamp,
  updated_at: timestamp,
}
const originView = Type.Object(originFields, { title: 'VulnerabilityOrigin' })

const viewOrigin = (origin: Origin): Static<typeof originView> => ({
  source: origin.source,
  source_name: origin.sourceName,
  source_id: origin.sourceId,
  source_url: origin.sourceUrl,
  created: origin.isCreated,
  created_at: origin.createdAt,
  updated_at: origin.updatedAt,
})

const importedView = Type.Object(
  { ...originFields, title: Type.String(), vulnerability_id: nullableInteger },
  { title: 'ImportedFinding' },
)

const recordFields = [
  ...['id', 'name', 'url', 'description', 'solution', 'severity', 'report_type', 'package_url', 'location', 'state'],
  ...['scanner (external_id, name, vendor)', 'identifiers (external_type, external_id, name, url)'],
  ...['dismissal_reason', 'dismissed_until', 'dismissed_until_fixed', 'comment', 'decided_at', 'decided_by'],
  'earlier_decisions (state, dismissal_reason, comment, decided_at, decided_by)',
  ...['comments (body, author, created_at)', 'assignee', 'set_severity', 'due_on', 'tags', 'links (url, title)'],
  'detected_at',
]
const batchDescription = `JSON with source (${importSources.join(', ')}), source_name and up to ${maxRecords} records. Fields of a record, of which id and name are required: ${recordFields.join(', ')}. Nothing is imported when a record is invalid; unchanged records are skipped; what users have decided in Alcove stays. Decisions and comments belong to other users only if an administrator imports them; otherwise their text names the author.`

const maxBytes = 16 * 1024 * 1024

export const importedFindingRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/projects/:id/imported_findings',
    summary: 'Import findings of another product with their decisions',
    permission: 'finding.import',
    input: Type.Object({
      file: fileOf(['application/json'], { description: batchDescription }),
      dry_run: optional(flag({ description: 'Dry run: describe what the import would do without changing anything' })),
    }),
    status: 201,
    output: importView,
    fileLimit: () => ({ maxBytes, sentence: `a batch may have up to ${maxBytes / 1024 / 1024} MiB` }),
    async handle({ deps, project, caller, input }) {
      const batch = readRecords(await readFile(deps, input.file.key))
      const isDryRun = input.dry_run ?? false
      const results = await importFindings(deps, project, caller, { batch, isDryRun })
      const count = (test: (result: (typeof results)[number]) => boolean) => results.filter(test).length
      return {
        source: batch.source,
        dry_run: isDryRun,
        created: count(({ outcome }) => outcome === 'created'),
        matched: count(({ outcome }) => outcome === 'matched' || outcome === 'merged'),
        unchanged: count(({ outcome }) => outcome === 'unchanged'),
        applied: count(({ decision }) => decision === 'applied'),
        requested: count(({ decision }) => decision === 'requested'),
        kept: count(({ decision }) => decision === 'kept'),
        records: results.map(({ id, outcome, decision, vulnerabilityIds, notes, missingComments }) => ({
          id,
          outcome,
          decision,
          vulnerability_ids: [...vulnerabilityIds],
          notes: [...notes],
          missing_comments: missingComments,
        })),
      }
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/imported_findings',
    summary: 'List the imported findings of a project with their ids in the product',
    permission: 'vulnerability.list',
    input: Type.Object({
      source: optional(oneOf(importSources)),
      source_name: optional(text({ description: 'Name of the product, as the import states it' })),
    }),
    status: 200,
    output: Type.Array(importedView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, project, input, page }) {
      const filter = { source: input.source, sourceName: input.source_name }
      const found = await listImportedFindings(deps, project, filter, page)
      const viewed = found.rows.map((row) => ({
        ...viewOrigin(row),
        title: row.title,
        vulnerability_id: row.vulnerabilityId,
      }))
      return { ...found, rows: viewed }
    },
  }),
  route({
    method: 'GET',
    path: '/vulnerabilities/:id/origins',
    summary: 'List the products from which a vulnerability was imported',
    permission: 'vulnerability.read',
    status: 200,
    output: Type.Array(originView),
    async handle({ deps, vulnerability }) {
      return (await listOrigins(deps, vulnerability.id)).map(viewOrigin)
    },
  }),
]

async function readFile({ objects }: RootDeps, key: string): Promise<Buffer> {
  const stream = await objects.open(key)
  if (!stream) throw new Error('the object of a received batch is missing in the object store')
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
