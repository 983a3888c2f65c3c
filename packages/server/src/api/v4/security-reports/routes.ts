import Type, { type Static } from 'typebox'
import type { RootDeps } from '../../../domain/deps.ts'
import { reportTypes } from '../../../domain/findings/scales.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { type Mapping, parseMapping } from '../../../domain/reports/formats/generic/mapping.ts'
import { assertMayCreateProject, createProjectOfReport } from '../../../domain/reports/imports/create-project.ts'
import { applyAbsences, discardAbsences } from '../../../domain/reports/imports/held/held-absences.ts'
import type { IngestOptions } from '../../../domain/reports/imports/import.ts'
import { assertMayPromote, assertMayReport } from '../../../domain/reports/imports/import-rights.ts'
import { findImports, findProjectImport, importReport } from '../../../domain/reports/imports/imports.ts'
import { dryRunReport } from '../../../domain/reports/imports/ingest.ts'
import { findMappingNamed } from '../../../domain/reports/mappings/report-mappings.ts'
import {
  maxProjectFileBytes,
  type ProjectFile,
  projectFileNames,
} from '../../../domain/vulnerabilities/project-files/project-file.ts'
import { type ReceivedText, readProjectFiles } from '../../../domain/vulnerabilities/project-files/project-files.ts'
import { fileList, fileOf, flag, integer, integerList, oneOf, optional, text } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { invalid } from '../../../platform/failure.ts'
import type { ReceivedFile } from '../../../platform/object-store/objects.ts'
import { readPieces } from '../../../platform/object-store/pieces.ts'
import { readWhole } from '../../../platform/object-store/read-whole.ts'
import { route } from '../route.ts'
import { comparedImportView, importView, viewComparedImport, viewImports, viewStoredImport } from './views.ts'

const targetRef = optional(
  text({
    allowBlank: false,
    description:
      'Branch or tag that `against` compares with, such as the target of a merge request. Default: the default branch',
  }),
)

const reportInput = Type.Object({
  file: fileOf(['application/json', 'application/gzip', 'application/xml', 'text/csv']),
  project_files: optional(
    fileList({
      description: `Files of the repository: ${projectFileNames.join(', ')}, at most one of each, up to 1 MiB. They have effects with a report for the default branch of a sender who may triage vulnerabilities, or with \`accept_reporters_files\` of the project`,
    }),
  ),
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
  job_url: optional(text({ allowBlank: false, description: 'Page of the CI job; shown with the report' })),
  commit_url: optional(text({ allowBlank: false, description: 'Page of the commit; shown with the report' })),
  target_ref: targetRef,
  strict: optional(
    flag({ description: 'Reject the report if any part of it violates its format. Default: skip invalid entries' }),
  ),
  partial: optional(
    flag({
      description:
        'True if the scan covered only part of the ref, such as the changes since a baseline; no finding is then marked as absent. Default: as stated in the report',
    }),
  ),
  mapping: optional(
    text({
      allowBlank: false,
      description:
        'JSON object with the columns or keys of a generic report by field, such as `{"title": "Finding", "severity": "Risk", "severities": {"Severe": "critical"}}`. The report is then read as generic CSV or JSON. Or the name of a stored mapping of the project or of a group above it',
    }),
  ),
  same_run: optional(
    integerList({
      commaSeparated: true,
      description:
        'Ids of the imports of earlier reports of the same run. A report that covers their findings is rejected instead of making them absent',
    }),
  ),
  promote: optional(
    flag({
      description:
        'Promote the findings to vulnerabilities; true requires permission to promote. Default: the setting of the project',
    }),
  ),
  async: optional(flag({ description: 'Return 202 immediately; poll the import for its result' })),
  create: optional(
    flag({
      description:
        'Create the project of the path, and missing groups below a group in which you may create subgroups, if there is none; requires the scope `api`',
    }),
  ),
  dry_run: optional(flag({ description: 'Dry run: count what would change without changing anything' })),
})

/** Returns the options but for the mapping. */
const optionsFrom = (input: Static<typeof reportInput>): IngestOptions => ({
  reportType: input.report_type,
  ref: input.ref,
  category: input.category,
  commitSha: input.commit_sha,
  jobUrl: input.job_url,
  commitUrl: input.commit_url,
  targetRef: input.target_ref,
  strict: input.strict,
  isPartial: input.partial,
  sameRun: input.same_run,
  promote: input.promote,
  isAsync: input.async,
})

/** Reads a mapping, or finds the stored one of this name. */
async function mappingOf(deps: RootDeps, project: Project, text: string | undefined): Promise<Mapping | undefined> {
  if (text === undefined || text.trimStart().startsWith('{')) return readMapping(text)
  const found = await findMappingNamed(deps, project, text.trim())
  if (!found)
    throw invalid({ mapping: [`is no JSON object and names no mapping of this project: ${text.slice(0, 40)}`] })
  return found
}

function readMapping(text: string | undefined): Mapping | undefined {
  if (text === undefined) return undefined
  const mapping = parseMapping(text)
  if (typeof mapping === 'string') throw invalid({ mapping: [mapping] })
  return mapping
}

const importTables = ['imports', 'users']

export const securityReportRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/projects/:id/security_reports',
    summary: 'Import a security report',
    permission: 'report.create',
    input: reportInput,
    status: 201,
    isUnfinished: ({ status }) => status === 'waiting' || status === 'running',
    output: comparedImportView,
    createMissing: {
      parameter: 'create',
      assertPermitted: assertMayCreateProject,
      create: ({ deps, caller, reference, input }) =>
        createProjectOfReport(deps, caller, reference, {
          file: input.file,
          // A project that does not exist has no stored mappings.
          options: { ...optionsFrom(input), mapping: readMapping(input.mapping) },
          assertUsable: () => readFiles(deps, input.project_files),
          isDryRun: input.dry_run === true,
        }),
    },
    maxFileBytes: ({ maxReportBytes }) => maxReportBytes,
    fileLimit: ({ settings }) => ({
      maxBytes: settings.maxReportBytes,
      sentence: `a report may have up to ${settings.maxReportBytes / 1024 / 1024} MiB`,
    }),
    async handle({ deps, project, caller, input, headers, origin, isNew = false }) {
      const options = { ...optionsFrom(input), mapping: await mappingOf(deps, project, input.mapping) }
      const { file } = input
      const projectFiles = await readFiles(deps, input.project_files)
      if (input.dry_run) {
        await assertMayReport(deps, project, caller, options.ref)
        await assertMayPromote(deps, project, caller, options)
        const opened = { ...file, open: () => readPieces(deps.objects, file.key) }
        const sent = { file: opened, projectFiles, sender: caller }
        return viewComparedImport(deps, project, await dryRunReport(deps, project, sent, options), { origin, isNew })
      }
      const done = await importReport(deps, project, caller, { file, options, projectFiles })
      if (done.state !== 'done') headers['location'] = `/api/v4/projects/${project.id}/security_reports/${done.id}`
      return viewComparedImport(deps, project, done, { origin, isNew })
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/security_reports',
    summary: 'List security report imports, newest first',
    permission: 'report.list',
    input: Type.Object({
      ref: optional(text({ allowBlank: false })),
      absences: optional(oneOf(['held'], { description: 'Lists only reports whose absences wait for a maintainer' })),
    }),
    status: 200,
    output: Type.Array(importView),
    paged: true,
    unknownFilters: 'refused',
    cacheTables: importTables,
    async handle({ deps, project, input, page, origin }) {
      const filter = { ref: input.ref, isHeld: input.absences === 'held' }
      const found = await findImports(deps, project, filter, page)
      return { ...found, rows: await viewImports(deps, found.rows, origin) }
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/security_reports/:report_id',
    summary: 'Get an import with its progress and result',
    permission: 'report.read',
    input: Type.Object({ report_id: integer(), target_ref: targetRef }),
    status: 200,
    output: comparedImportView,
    async handle({ deps, project, caller, input, origin }) {
      const which = { id: input.report_id, targetRef: input.target_ref }
      return viewComparedImport(deps, project, await findProjectImport(deps, project, caller, which), {
        origin,
        isNew: false,
      })
    },
  }),
  route({
    method: 'POST',
    path: '/projects/:id/security_reports/:report_id/absences/apply',
    summary: 'Mark the findings as absent that a held report lacks',
    permission: 'report.absences',
    input: Type.Object({ report_id: integer() }),
    status: 201,
    output: importView,
    handle: async ({ deps, project, caller, input, origin }) =>
      viewStoredImport(deps, await applyAbsences(deps, project, caller, input.report_id), origin),
  }),
  route({
    method: 'POST',
    path: '/projects/:id/security_reports/:report_id/absences/discard',
    summary: 'Keep the findings that a held report lacks',
    permission: 'report.absences',
    input: Type.Object({ report_id: integer() }),
    status: 201,
    output: importView,
    handle: async ({ deps, project, input, origin }) =>
      viewStoredImport(deps, await discardAbsences(deps, project, input.report_id), origin),
  }),
]

async function readFiles(deps: RootDeps, files: readonly ReceivedFile[] = []): Promise<ProjectFile[]> {
  const received: ReceivedText[] = []
  for (const file of files) {
    const { filename, bytes } = file
    // Do not load what is refused for its size anyway.
    if (bytes > maxProjectFileBytes) throw invalid({ project_files: [`${filename}: a file may have up to 1 MiB`] })
    received.push({ path: filename, bytes: await readWhole(deps.objects, file) })
  }
  return readProjectFiles(received, deps.now())
}
