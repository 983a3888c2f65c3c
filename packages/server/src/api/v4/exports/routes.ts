import Type, { type Static } from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import { type Export, type ExportFilter, exportFormats, exportStatuses } from '../../../domain/exports/export.ts'
import {
  createExport,
  downloadExport,
  findExportProgress,
  getExport,
  type Progress,
} from '../../../domain/exports/exports.ts'
import { openIntact } from '../../../domain/files/intact.ts'
import { compileInput } from '../../../http/params/compile-input.ts'
import { dateTime, flag, freeForm, integer, integerList, oneOf, optional } from '../../../http/params/input.ts'
import type { RawParams } from '../../../http/params/raw-params.ts'
import { attachment } from '../../../http/response/content-disposition.ts'
import { type Download, untrustedContentPolicy } from '../../../http/response/download.ts'
import { fileOutput, type Route } from '../../../http/route.ts'
import { notFound, parameterProblem } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { freeObject, nullableInteger, nullableString, nullableTimestamp, timestamp } from '../views.ts'
import { assertKnown, filterNames, filterProperties, readFilter, viewFilter } from '../vulnerabilities/filters.ts'

const exportView = Type.Object(
  {
    id: Type.Integer(),
    created_at: timestamp,
    project_id: nullableInteger,
    group_id: nullableInteger,
    format: Type.Unsafe<Export['format']>({ type: 'string', enum: exportFormats }),
    status: Type.Unsafe<Export['status']>({ type: 'string', enum: exportStatuses }),
    started_at: nullableTimestamp,
    finished_at: nullableTimestamp,
    send_email: Type.Boolean(),
    expires_at: nullableTimestamp,
    _links: Type.Object({ self: Type.String(), download: Type.String() }),
    // Not in GitLab.
    filters: freeObject,
    error: { ...nullableString, description: 'Reason of a failure' },
    waiting_findings: {
      ...nullableInteger,
      description:
        'Findings of the exported projects that awaited promotion when the file was written, and are not in it. Null before; 10001 stands for more than 10,000',
    },
    progress: Type.Unsafe<Progress | null>({
      type: ['object', 'null'],
      properties: { done: { type: 'integer' }, total: { type: 'integer' } },
      required: ['done', 'total'],
    }),
  },
  { title: 'VulnerabilityExport' },
)

function viewExport(origin: string, found: Export, progress: Progress | undefined) {
  const self = `${origin}/api/v4/security/vulnerability_exports/${found.id}`
  return {
    id: found.id,
    created_at: found.createdAt,
    project_id: found.projectId,
    group_id: found.groupId,
    format: found.format,
    status: found.status,
    started_at: found.startedAt,
    finished_at: found.finishedAt,
    send_email: found.sendsEmail,
    expires_at: found.expiresAt,
    _links: { self, download: `${self}/download` },
    filters: {
      ...viewFilter(found.filter),
      scanner_id: found.filter.scannerIds,
      project_id: found.filter.projectIds,
    },
    error: found.error,
    waiting_findings: found.waitingFindings,
    progress: progress ?? null,
  }
}

const isUnfinished = ({ status }: { status: string }) => status === 'created' || status === 'running'

const exportInput = Type.Object(
  {
    export_format: oneOf(exportFormats, { default: 'csv' }),
    send_email: flag({ default: false, description: 'Stored and returned, but no email is sent' }),
    filters: optional(
      freeForm({
        description: `Filters of the vulnerability list (${filterNames.join(', ')}), and scanner_id and project_id`,
      }),
    ),
    filter: optional(freeForm({ description: 'Same as `filters`, under its name in bulk changes' })),
    changes_since: optional(
      dateTime({
        description:
          'For the format `html`: start of the period whose changes the report shows. Default: your previous report of the same target, else 30 days ago',
      }),
    ),
  },
  { exclusive: [['filters', 'filter']] },
)

const filterInput = Type.Object({
  ...filterProperties,
  scanner_id: optional(integerList({ commaSeparated: true })),
  project_id: optional(integerList({ commaSeparated: true })),
})
const readInput = compileInput(filterInput)

/** Rejects unknown filters, because ignoring one would export rows that the caller meant to exclude. */
function filterFrom(caller: Caller, params: RawParams = {}): ExportFilter {
  assertKnown('filters', params, filterInput.properties)
  const input = readInput(params)
  return { ...readFilter(input, caller), scannerIds: input.scanner_id, projectIds: input.project_id }
}

function draftFrom(caller: Caller, input: Static<typeof exportInput>) {
  const { export_format: format, send_email: sendsEmail, filter, filters = filter, changes_since: changesSince } = input
  if (changesSince !== undefined && format !== 'html') throw parameterProblem('changes_since requires the format html')
  const names = Object.keys(filters ?? {}).filter((name) => name !== 'project_id')
  if (format === 'html' && names.length > 0) {
    throw parameterProblem(
      `a report covers all vulnerabilities; its only filter is project_id, not ${names.join(', ')}`,
    )
  }
  return { format, sendsEmail, filter: { ...filterFrom(caller, filters), ...(changesSince && { changesSince }) } }
}

const contentTypes: Record<Export['format'], string> = {
  // GitLab's content type for CSV.
  csv: 'application/octet-stream',
  json: 'application/json',
  sarif: 'application/sarif+json',
  html: 'text/html; charset=utf-8',
  openvex: 'application/json',
  cyclonedx: 'application/vnd.cyclonedx+json',
  csaf: 'application/json',
}

const reportPolicy = `${untrustedContentPolicy}; style-src 'unsafe-inline'`

function downloadOf(deps: RootDeps, { objectKey, bytes, sha256, format, filename, status }: Export): Download {
  if (status !== 'finished' || objectKey === null || bytes === null) throw notFound('Vulnerability Export')
  return {
    open: (range) => openIntact(deps, { key: objectKey, bytes, sha256 }, range),
    bytes,
    contentType: contentTypes[format],
    disposition: attachment(filename ?? ''),
    // Texts of scanners are escaped; this is a second line of defence.
    ...(format === 'html' && { contentSecurityPolicy: reportPolicy }),
  }
}

export const exportRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/security/projects/:id/vulnerability_exports',
    summary: 'Create an export of a project’s vulnerabilities',
    permission: 'export.create',
    input: exportInput,
    status: 201,
    output: exportView,
    async handle({ deps, caller, project, input, origin }) {
      const target = { projectId: project.id, groupId: null }
      return viewExport(origin, await createExport(deps, caller, { ...target, ...draftFrom(caller, input) }), undefined)
    },
  }),
  route({
    method: 'POST',
    path: '/security/groups/:id/vulnerability_exports',
    summary: 'Create an export of the vulnerabilities of a group and its subgroups',
    permission: 'group.export.create',
    input: exportInput,
    status: 201,
    output: exportView,
    async handle({ deps, caller, group, input, origin }) {
      const target = { projectId: null, groupId: group.id }
      return viewExport(origin, await createExport(deps, caller, { ...target, ...draftFrom(caller, input) }), undefined)
    },
  }),
  route({
    method: 'POST',
    path: '/security/vulnerability_exports',
    summary: 'Create an export of the vulnerabilities of all projects in which you are a developer',
    permission: 'instance.export.create',
    input: exportInput,
    status: 201,
    output: exportView,
    async handle({ deps, caller, input, origin }) {
      const target = { projectId: null, groupId: null }
      return viewExport(origin, await createExport(deps, caller, { ...target, ...draftFrom(caller, input) }), undefined)
    },
  }),
  route({
    method: 'GET',
    path: '/security/vulnerability_exports/:id',
    summary: 'Get the status of an export; available to its author',
    permission: 'export.read',
    input: Type.Object({ id: integer() }),
    status: 200,
    isUnfinished,
    output: exportView,
    async handle({ deps, caller, input, origin, headers }) {
      const found = await getExport(deps, caller, input.id)
      if (isUnfinished(found)) headers['poll-interval'] = '5000'
      return viewExport(origin, found, await findExportProgress(deps, found.id))
    },
  }),
  route({
    method: 'GET',
    path: '/security/vulnerability_exports/:id/download',
    summary: 'Download an export; available to its author',
    permission: 'export.read',
    input: Type.Object({ id: integer() }),
    status: 200,
    output: fileOutput,
    async handle({ deps, caller, input, headers }) {
      const found = await downloadExport(deps, caller, input.id)
      if (found.waitingFindings !== null) headers['x-alcove-waiting-findings'] = `${found.waitingFindings}`
      return downloadOf(deps, found)
    },
  }),
]
