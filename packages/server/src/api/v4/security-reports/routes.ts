import Type from 'typebox'
import type { RootDeps } from '../../../domain/deps.ts'
import type { FindingSummary } from '../../../domain/findings/finding.ts'
import { reportTypes } from '../../../domain/findings/scales.ts'
import { type Import, type ImportState, importStates } from '../../../domain/reports/imports/import.ts'
import { assertMayPromote } from '../../../domain/reports/imports/import-rights.ts'
import { findImports, findProjectImport, importReport } from '../../../domain/reports/imports/imports.ts'
import { dryRunReport } from '../../../domain/reports/imports/ingest.ts'
import { filePart, flag, integer, oneOf, optional, text } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { matchReason } from '../findings/match-view.ts'
import { route } from '../route.ts'
import { freeObject, nullableInteger, nullableString, nullableTimestamp, timestamp } from '../views.ts'

const sampleFields = {
  uuid: Type.String(),
  name: Type.String(),
  severity: Type.String(),
  report_type: Type.String(),
  location: freeObject,
}
const sampleView = Type.Object(sampleFields, { title: 'FindingSample' })

const problemView = Type.Object({ type: Type.String(), message: Type.String(), pointer: Type.String() })

const importView = Type.Object(
  {
    id: nullableInteger,
    project_id: Type.Integer(),
    status: Type.Unsafe<ImportState>({ type: 'string', enum: importStates }),
    ref: Type.String(),
    category: nullableString,
    commit_sha: nullableString,
    format: Type.String(),
    version: nullableString,
    report_type: Type.String(),
    scanner: nullableString,
    user_id: nullableInteger,
    file_sha256: Type.String(),
    file_size: Type.Integer(),
    read_bytes: Type.Integer({ description: 'Number of bytes of the file read so far, while the import is running' }),
    interruptions: Type.Integer({ description: 'Number of runs that ended because the process ended' }),
    dry_run: Type.Boolean(),
    unchanged: Type.Boolean({ description: 'True if the import changed nothing in the project' }),
    findings: Type.Object({
      read: Type.Integer(),
      new: Type.Integer(),
      known: Type.Integer(),
      returned: Type.Integer(),
      gone: Type.Integer(),
      changed: Type.Integer(),
      moved: Type.Integer(),
      merged: Type.Integer(),
      skipped: Type.Integer(),
      promoted: Type.Integer(),
    }),
    warnings: Type.Array(problemView),
    merged: Type.Array(Type.Object({ pointer: Type.String(), into: Type.String(), uuid: Type.String() })),
    skipped: Type.Array(Type.Object({ pointer: Type.String(), reason: Type.String() })),
    samples: Type.Object({
      new: Type.Array(sampleView),
      returned: Type.Array(sampleView),
      gone: Type.Array(sampleView),
      changed: Type.Array(sampleView),
      moved: Type.Array(Type.Object({ ...sampleFields, reason: matchReason }, { title: 'MovedFindingSample' })),
    }),
    errors: Type.Array(problemView),
    created_at: timestamp,
    started_at: nullableTimestamp,
    shown_at: { ...nullableTimestamp, description: 'Time at which the results became visible in the project' },
    finished_at: nullableTimestamp,
  },
  { title: 'Import' },
)

function viewImport(done: Import) {
  const { counts, outcome } = done
  const { samples } = outcome
  return {
    id: done.id ?? null,
    project_id: done.projectId,
    status: done.state,
    ref: done.ref,
    category: done.category,
    commit_sha: done.commitSha,
    format: done.format,
    version: done.version,
    report_type: done.reportType,
    scanner: done.scannerName,
    user_id: done.userId,
    file_sha256: done.fileSha256,
    file_size: done.fileBytes,
    read_bytes: done.readBytes,
    interruptions: done.interruptions,
    dry_run: done.id === undefined,
    unchanged:
      done.state === 'done' &&
      counts.new + counts.returned + counts.gone + counts.changed + counts.moved + counts.promoted === 0,
    findings: counts,
    warnings: [...outcome.warnings],
    merged: [...outcome.merged],
    skipped: [...outcome.skipped],
    samples: {
      new: samples.new.map(viewSample),
      returned: samples.returned.map(viewSample),
      gone: samples.gone.map(viewSample),
      changed: samples.changed.map(viewSample),
      moved: samples.moved.map(({ reason, ...sample }) => ({ ...viewSample(sample), reason })),
    },
    errors: [...outcome.problems],
    created_at: done.createdAt,
    started_at: done.startedAt,
    shown_at: done.shownAt,
    finished_at: done.finishedAt,
  }
}

const viewSample = ({ uuid, name, severity, reportType, location }: FindingSummary) => ({
  uuid,
  name,
  severity,
  report_type: reportType,
  location,
})

const importTables = ['imports']

export const securityReportRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/projects/:id/security_reports',
    summary: 'Import a security report',
    permission: 'report.create',
    input: Type.Object({
      file: filePart,
      report_type: optional(oneOf(reportTypes, { description: 'Default: the type stated in the report' })),
      ref: optional(text({ allowBlank: false, description: 'Branch or tag. Default: the default branch' })),
      category: optional(
        text({
          allowBlank: false,
          description:
            'Part of the ref that the report covers, such as an image or a folder. Use the same name in every run: a report marks only findings of its own category as absent. Default: the whole ref',
        }),
      ),
      commit_sha: optional(text()),
      strict: optional(
        flag({ description: 'Reject the report if any part of it violates its format. Default: skip invalid entries' }),
      ),
      partial: optional(
        flag({
          description:
            'True if the scan covered only part of the ref, such as the changes since a baseline; no finding is then marked as absent. Default: as stated in the report',
        }),
      ),
      promote: optional(
        flag({
          description:
            'Promote the findings to vulnerabilities; true requires permission to promote. Default: the setting of the project',
        }),
      ),
      async: optional(flag({ description: 'Return 202 immediately; poll the import for its result' })),
      dry_run: optional(flag({ description: 'Dry run: count what would change without changing anything' })),
    }),
    status: 201,
    isUnfinished: ({ status }) => status === 'waiting' || status === 'running',
    output: importView,
    maxFileBytes: ({ maxReportBytes }) => maxReportBytes,
    fileLimit: ({ settings }) => ({
      maxBytes: settings.maxReportBytes,
      sentence: `a report may have up to ${settings.maxReportBytes / 1024 / 1024} MiB`,
    }),
    async handle({ deps, project, caller, input, headers }) {
      const options = {
        reportType: input.report_type,
        ref: input.ref,
        category: input.category,
        commitSha: input.commit_sha,
        strict: input.strict,
        isPartial: input.partial,
        promote: input.promote,
        isAsync: input.async,
      }
      const { file } = input
      if (input.dry_run) {
        await assertMayPromote(deps, project, caller, options)
        return viewImport(await dryRunReport(deps, project, { ...file, open: () => openFile(deps, file.key) }, options))
      }
      const done = await importReport(deps, project, caller, { file, options })
      if (done.state !== 'done') headers['location'] = `/api/v4/projects/${project.id}/security_reports/${done.id}`
      return viewImport(done)
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/security_reports',
    summary: 'List security report imports, newest first',
    permission: 'report.list',
    input: Type.Object({ ref: optional(text({ allowBlank: false })) }),
    status: 200,
    output: Type.Array(importView),
    paged: true,
    unknownFilters: 'refused',
    cacheTables: importTables,
    async handle({ deps, project, input, page }) {
      const found = await findImports(deps, project, input.ref, page)
      return { ...found, rows: found.rows.map(viewImport) }
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/security_reports/:report_id',
    summary: 'Get an import with its progress and result',
    permission: 'report.read',
    input: Type.Object({ report_id: integer() }),
    status: 200,
    output: importView,
    handle: async ({ deps, project, caller, input }) =>
      viewImport(await findProjectImport(deps, project, caller, input.report_id)),
  }),
]

async function openFile({ objects }: RootDeps, key: string) {
  const stream = await objects.open(key)
  if (!stream) throw new Error('the object of a received report is missing in the object store')
  return stream
}
