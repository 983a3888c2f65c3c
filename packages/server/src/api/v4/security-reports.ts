import Type from 'typebox'
import type { Project } from '../../domain/projects/project.ts'
import { type Import, ingestReport } from '../../domain/reports/ingest.ts'
import { reportTypes } from '../../domain/vulnerabilities/scales.ts'
import { filePart, flag, oneOf, optional, text } from './input.ts'
import { type Route, route } from './route.ts'
import { nullableInteger, nullableString, timestamp } from './views.ts'

/** A report is parsed in memory, so it has a limit of its own. */
const maxReportBytes = 50 * 1024 * 1024

const importView = Type.Object(
  {
    id: nullableInteger,
    project_id: Type.Integer(),
    ref: Type.String(),
    commit_sha: nullableString,
    format: Type.String(),
    version: Type.String(),
    report_type: Type.String(),
    scanner: nullableString,
    file_sha256: Type.String(),
    dry_run: Type.Boolean(),
    findings: Type.Object({
      read: Type.Integer(),
      new: Type.Integer(),
      known: Type.Integer(),
      returned: Type.Integer(),
      gone: Type.Integer(),
      merged: Type.Integer(),
      skipped: Type.Integer(),
      promoted: Type.Integer(),
    }),
    warnings: Type.Array(Type.Object({ type: Type.String(), message: Type.String(), pointer: Type.String() })),
    merged: Type.Array(Type.Object({ pointer: Type.String(), into: Type.String(), uuid: Type.String() })),
    skipped: Type.Array(Type.Object({ pointer: Type.String(), reason: Type.String() })),
    created_at: timestamp,
  },
  { title: 'Import' },
)

/** As many of a kind as anybody reads; the counts are of all. */
const maxShown = 100

function viewImport(project: Project, done: Import) {
  return {
    id: done.id ?? null,
    project_id: project.id,
    ref: done.ref,
    commit_sha: done.commitSha,
    format: done.report.format,
    version: done.report.version,
    report_type: done.report.reportType,
    scanner: done.report.scanner?.name ?? null,
    file_sha256: done.fileSha256,
    dry_run: done.id === undefined,
    findings: done.counts,
    warnings: done.warnings.slice(0, maxShown),
    merged: done.merged.slice(0, maxShown),
    skipped: done.skipped.slice(0, maxShown),
    created_at: done.createdAt,
  }
}

export const securityReportRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/projects/:id/security_reports',
    summary: 'Take in a scanner’s report',
    permission: 'report.create',
    input: Type.Object({
      file: filePart,
      report_type: optional(oneOf(reportTypes, { description: 'Default: what the report says it is' })),
      ref: optional(text({ allowBlank: false, description: 'Branch or tag; default: the default branch' })),
      commit_sha: optional(text()),
      strict: optional(
        flag({ description: 'Refuse a report that violates its format anywhere; default: read what can be read' }),
      ),
      promote: optional(flag({ description: 'Make vulnerabilities of the findings; default: as the project is set' })),
      dry_run: optional(flag({ description: 'Count what would change, and change nothing' })),
    }),
    status: 201,
    output: importView,
    fileLimit: ({ settings }) => ({
      maxBytes: Math.min(settings.maxUploadBytes, maxReportBytes),
      sentence: 'a report may have up to 50 MiB, and no more than an upload',
    }),
    async handle({ deps, project, caller, input }) {
      const done = await ingestReport(deps, project, caller.user, input.file, {
        reportType: input.report_type,
        ref: input.ref,
        commitSha: input.commit_sha,
        strict: input.strict,
        promote: input.promote,
        dryRun: input.dry_run,
      })
      return viewImport(project, done)
    },
  }),
]
