import Type, { type Static } from 'typebox'
import type { RootDeps } from '../../../domain/deps.ts'
import { states } from '../../../domain/findings/scales.ts'
import type { Page, PageRequest } from '../../../domain/page.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { type ListScope, projectScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { groupScope, withProjects } from '../../../domain/vulnerabilities/list/group-scope.ts'
import { listVulnerabilities, type VulnerabilityWithFinding } from '../../../domain/vulnerabilities/list/list.ts'
import { type ListSummary, summarizeList } from '../../../domain/vulnerabilities/list/summary.ts'
import { promoteFinding } from '../../../domain/vulnerabilities/promotion/promotion.ts'
import { integer, integerList, optional, uuid } from '../../../http/params/input.ts'
import type { KeysetPage } from '../../../http/response/pages.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { freeObject, nullableInteger, nullableString, nullableTimestamp, timestamp } from '../views.ts'
import { filterProperties, listProperties, readFilter } from './filters.ts'
import { readListPage, viewListPage } from './list-pages.ts'

const findingView = Type.Object(
  {
    id: Type.Integer(),
    created_at: timestamp,
    updated_at: timestamp,
    severity: Type.String(),
    confidence: Type.String(),
    report_type: Type.String(),
    project_id: Type.Integer(),
    scanner_id: Type.Integer(),
    primary_identifier_id: Type.Integer(),
    location_fingerprint: Type.String(),
    project_fingerprint: Type.String(),
    name: Type.String(),
    metadata_version: Type.String(),
    raw_metadata: Type.String(),
    vulnerability_id: nullableInteger,
    details: freeObject,
    description: nullableString,
    solution: nullableString,
    cve: nullableString,
    location: freeObject,
    detection_method: Type.String(),
    uuid: Type.String(),
    detected_at: timestamp,
  },
  { title: 'VulnerabilityFinding' },
)

export const vulnerabilityView = Type.Object(
  {
    id: Type.Integer(),
    title: Type.String(),
    description: nullableString,
    state: Type.Unsafe<(typeof states)[number]>({ type: 'string', enum: states }),
    severity: Type.String(),
    confidence: Type.String(),
    report_type: Type.String(),
    project: Type.Object({
      id: Type.Integer(),
      description: Type.String(),
      name: Type.String(),
      name_with_namespace: Type.String(),
      path: Type.String(),
      path_with_namespace: Type.String(),
      created_at: timestamp,
    }),
    finding: findingView,
    resolved_on_default_branch: Type.Boolean(),
    project_default_branch: Type.String(),
    author_id: nullableInteger,
    resolved_by_id: nullableInteger,
    dismissed_by_id: nullableInteger,
    confirmed_by_id: nullableInteger,
    created_at: timestamp,
    updated_at: timestamp,
    resolved_at: nullableTimestamp,
    dismissed_at: nullableTimestamp,
    confirmed_at: nullableTimestamp,
    dismissal_reason: nullableString,
    severity_overridden: Type.Boolean(),
    auto_resolved: Type.Boolean(),
    present_on_default_branch: Type.Boolean({
      description: 'True if the vulnerability was ever present on the default branch',
    }),
  },
  { title: 'Vulnerability' },
)

export function viewVulnerability(project: Project, { vulnerability, finding }: VulnerabilityWithFinding) {
  return {
    id: vulnerability.id,
    title: vulnerability.title,
    description: vulnerability.description,
    state: vulnerability.state,
    severity: vulnerability.severity,
    confidence: vulnerability.confidence,
    report_type: vulnerability.reportType,
    project: {
      id: project.id,
      description: project.description ?? '',
      name: project.name,
      name_with_namespace: `${project.namespace.fullName} / ${project.name}`,
      path: project.path,
      path_with_namespace: project.fullPath,
      created_at: project.createdAt,
    },
    finding: {
      id: finding.id,
      created_at: finding.createdAt,
      updated_at: finding.updatedAt,
      severity: finding.severity,
      confidence: finding.confidence,
      report_type: finding.reportType,
      project_id: finding.projectId,
      scanner_id: finding.scannerId,
      primary_identifier_id: finding.primaryIdentifierId,
      location_fingerprint: finding.locationFingerprint,
      // GitLab returned the UUID under this name until it removed the field.
      project_fingerprint: finding.uuid,
      name: finding.name,
      metadata_version: finding.metadataVersion,
      raw_metadata: finding.rawMetadata,
      vulnerability_id: finding.vulnerabilityId,
      details: finding.details,
      description: finding.description,
      solution: finding.solution,
      cve: finding.cve,
      location: finding.location,
      detection_method: 'gitlab_security_report',
      uuid: finding.uuid,
      detected_at: finding.detectedAt,
    },
    resolved_on_default_branch: vulnerability.isResolvedOnDefaultBranch,
    project_default_branch: project.defaultBranch,
    author_id: vulnerability.authorId,
    resolved_by_id: vulnerability.resolvedById,
    dismissed_by_id: vulnerability.dismissedById,
    confirmed_by_id: vulnerability.confirmedById,
    created_at: vulnerability.createdAt,
    updated_at: vulnerability.updatedAt,
    resolved_at: vulnerability.resolvedAt,
    dismissed_at: vulnerability.dismissedAt,
    confirmed_at: vulnerability.confirmedAt,
    dismissal_reason: vulnerability.dismissalReason,
    severity_overridden: vulnerability.isSeverityOverridden,
    auto_resolved: vulnerability.isAutoResolved,
    present_on_default_branch: vulnerability.isOnDefaultBranch,
  }
}

const listInput = Type.Object(listProperties)

const summaryView = Type.Object(
  {
    total: Type.Unsafe<number | null>({
      ...nullableInteger,
      description: 'Exact total without an upper limit; null if it would require reading all rows',
    }),
    scanners: Type.Array(Type.Object({ external_id: Type.String(), name: Type.String(), total: Type.Integer() })),
    report_types: Type.Array(Type.Object({ name: Type.String(), total: Type.Integer() })),
  },
  { title: 'VulnerabilitySummary' },
)

const viewSummary = ({ total, scanners, reportTypes }: ListSummary) => ({
  total: total ?? null,
  scanners: scanners.map(({ externalId, name, total }) => ({ external_id: externalId, name, total })),
  report_types: reportTypes,
})

const projectFilter = optional(
  integerList({ commaSeparated: true, description: 'Only vulnerabilities of these projects' }),
)

const listedTables = [
  ...['vulnerabilities', 'vulnerability_counts', 'promoted_findings', 'findings', 'occurrences', 'identifiers'],
  ...['finding_identifiers', 'scanners'],
]

/** Reads a page and returns the views of its rows. */
async function listPage(
  deps: RootDeps,
  scope: ListScope,
  { input, page }: { input: Static<typeof listInput>; page: PageRequest },
  view: (rows: readonly VulnerabilityWithFinding[]) => Promise<Static<typeof vulnerabilityView>[]>,
): Promise<Page<Static<typeof vulnerabilityView>> | KeysetPage<Static<typeof vulnerabilityView>>> {
  const request = readListPage(input, page)
  const found = await listVulnerabilities(deps, { scope, filter: readFilter(input), sort: input.sort }, request)
  return viewListPage(request, found, await view(found.rows))
}

export const vulnerabilityRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects/:id/vulnerabilities',
    summary: 'List a project’s vulnerabilities, most severe first',
    permission: 'vulnerability.list',
    input: listInput,
    status: 200,
    output: Type.Array(vulnerabilityView),
    paged: true,
    unknownFilters: ['has_vulnerability', 'pipeline_id', 'scanner_id', 'project_id'],
    cacheTables: listedTables,
    async handle({ deps, project, input, page }) {
      return listPage(deps, projectScope(project.id), { input, page }, async (rows) =>
        rows.map((row) => viewVulnerability(project, row)),
      )
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id/vulnerabilities',
    summary: 'List the vulnerabilities of all readable projects in a group and its subgroups',
    permission: 'group.vulnerability.list',
    input: Type.Object({
      ...listProperties,
      project_id: projectFilter,
    }),
    status: 200,
    output: Type.Array(vulnerabilityView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, group, caller, input, page }) {
      const scope = await groupScope(deps, group, caller, input.project_id)
      return listPage(deps, scope, { input, page }, async (rows) =>
        (await withProjects(deps, rows)).map((row) => viewVulnerability(row.project, row)),
      )
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/vulnerabilities/summary',
    summary: 'Get totals and filter options for a project’s vulnerabilities',
    permission: 'vulnerability.list',
    input: Type.Object(filterProperties),
    status: 200,
    output: summaryView,
    unknownFilters: 'refused',
    cacheTables: listedTables,
    handle: async ({ deps, project, input }) =>
      viewSummary(await summarizeList(deps, projectScope(project.id), readFilter(input))),
  }),
  route({
    method: 'GET',
    path: '/groups/:id/vulnerabilities/summary',
    summary: 'Get totals and filter options for a group’s vulnerabilities',
    permission: 'group.vulnerability.list',
    input: Type.Object({ ...filterProperties, project_id: projectFilter }),
    status: 200,
    output: summaryView,
    unknownFilters: 'refused',
    handle: async ({ deps, group, caller, input }) =>
      viewSummary(
        await summarizeList(deps, await groupScope(deps, group, caller, input.project_id), readFilter(input)),
      ),
  }),
  route({
    method: 'POST',
    path: '/projects/:id/vulnerabilities',
    summary: 'Create a vulnerability from a finding',
    permission: 'vulnerability.create',
    input: Type.Object({
      finding_id: Type.Union([integer(), uuid()], { description: 'ID or UUID of a finding' }),
    }),
    status: 201,
    output: vulnerabilityView,
    handle: async ({ deps, project, caller, input }) =>
      viewVulnerability(project, await promoteFinding(deps, project, caller.user, input.finding_id)),
  }),
]
