import Type from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import { reportTypes } from '../../../domain/findings/scales.ts'
import { listProjectsById } from '../../../domain/projects/projects.ts'
import { listCoverage, summariseCoverage } from '../../../domain/vulnerabilities/dashboard/coverage.ts'
import { readDashboard } from '../../../domain/vulnerabilities/dashboard/dashboard.ts'
import type { ListScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { readableScope, withProjects } from '../../../domain/vulnerabilities/list/readable-scope.ts'
import { flag, oneOf, optional } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { timestamp } from '../views.ts'
import { activityView, viewActivity } from './activity-views.ts'
import { projectFields, viewProject } from './dashboard-project.ts'
import { instanceScope, scopeProperties } from './scope-filters.ts'

const dashboardView = Type.Object(
  {
    assigned_to_me: Type.Integer({ description: 'Open vulnerabilities of the caller' }),
    awaiting_approval: Type.Integer({
      description: 'Dismissals that someone other than the caller requested and that await approval',
    }),
    unscanned: Type.Object({
      total: Type.Integer({ description: 'Projects whose default branch was never scanned' }),
      projects: Type.Array(projectFields, { description: 'At most ten of them, newest first' }),
    }),
    silent_scanners: Type.Object({
      total: Type.Integer({ description: 'Scanners without a report for the default branch for 14 to 90 days' }),
      scanners: Type.Array(Type.Object({ name: Type.String(), project: projectFields, last_report_at: timestamp }), {
        description: 'At most ten of them, the latest first',
      }),
    }),
    activity: Type.Array(activityView, {
      description: 'The ten newest imports with changes and decisions of the last 30 days, newest first',
    }),
  },
  { title: 'SecurityDashboard' },
)

async function viewDashboard(deps: RootDeps, caller: Caller, scope: ListScope, origin: string) {
  const { assigned, awaitingApproval, unscanned, silentScanners, activity } = await readDashboard(deps, caller, scope)
  const ids = [...unscanned.projectIds, ...[...silentScanners.scanners, ...activity].map(({ projectId }) => projectId)]
  const found = await listProjectsById(deps.db, [...new Set(ids)])
  const projects = new Map(found.map((project) => [project.id, viewProject(project, origin)]))
  /** Omits rows of projects that were deleted meanwhile. */
  const withProject = <Row extends { projectId: number }>(rows: readonly Row[]) =>
    rows.flatMap((row) => {
      const project = projects.get(row.projectId)
      return project ? [{ row, project }] : []
    })
  return {
    assigned_to_me: assigned,
    awaiting_approval: awaitingApproval,
    unscanned: {
      total: unscanned.total,
      projects: unscanned.projectIds.flatMap((id) => projects.get(id) ?? []),
    },
    silent_scanners: {
      total: silentScanners.total,
      scanners: withProject(silentScanners.scanners).map(({ row, project }) => ({
        name: row.name,
        project,
        last_report_at: row.lastReportAt,
      })),
    },
    activity: withProject(activity).map(({ row, project }) => viewActivity(row, project, origin)),
  }
}

const typeCoverageView = Type.Object({
  report_type: Type.Enum([...reportTypes]),
  current: Type.Integer({ description: 'Projects with a report for the default branch in the last 14 days' }),
  stale: Type.Integer({ description: 'Projects whose last report is older' }),
  missing: Type.Integer({ description: 'Projects without a report of this type' }),
})

const coverageView = Type.Object(
  { projects: Type.Integer(), report_types: Type.Array(typeCoverageView) },
  { title: 'SecurityCoverage' },
)

const projectCoverageView = Type.Object(
  {
    project: projectFields,
    scanners: Type.Array(
      Type.Object({
        name: Type.String(),
        report_type: Type.Enum([...reportTypes]),
        last_report_at: timestamp,
        is_stale: Type.Boolean({ description: 'True if the last report is older than 14 days' }),
      }),
      { description: 'Scanners that ever reported for the default branch' },
    ),
  },
  { title: 'ProjectCoverage' },
)

export const securityDashboardRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/security_dashboard',
    summary: 'Get the security dashboard of all readable projects: work of the caller, scanners and recent changes',
    permission: 'instance.vulnerability.list',
    input: Type.Object(scopeProperties),
    status: 200,
    output: dashboardView,
    unknownFilters: 'refused',
    handle: async ({ deps, caller, input, origin }) =>
      viewDashboard(deps, caller, await instanceScope(deps, caller, input), origin),
  }),
  route({
    method: 'GET',
    path: '/groups/:id/security_dashboard',
    summary: 'Get the security dashboard of all readable projects in a group and its subgroups',
    permission: 'group.vulnerability.list',
    status: 200,
    output: dashboardView,
    unknownFilters: 'refused',
    handle: async ({ deps, group, caller, origin }) =>
      viewDashboard(deps, caller, await readableScope(deps, caller, { group }), origin),
  }),
  route({
    method: 'GET',
    path: '/security_dashboard/coverage',
    summary: 'Count the projects with current, old and missing reports of each type',
    permission: 'instance.vulnerability.list',
    input: Type.Object(scopeProperties),
    status: 200,
    output: coverageView,
    unknownFilters: 'refused',
    async handle({ deps, caller, input }) {
      const scope = await instanceScope(deps, caller, input)
      const types = await summariseCoverage(deps, scope)
      return {
        projects: scope.projectIds.length,
        report_types: types.map(({ reportType, ...counts }) => ({ report_type: reportType, ...counts })),
      }
    },
  }),
  route({
    method: 'GET',
    path: '/security_dashboard/coverage/projects',
    summary: 'List projects with the last reports of their scanners, oldest project first',
    permission: 'instance.vulnerability.list',
    input: Type.Object({
      ...scopeProperties,
      missing: optional(oneOf(reportTypes, { description: 'Only projects without a report of this type' })),
      stale: optional(flag({ description: 'Only projects with a scanner whose last report is older than 14 days' })),
    }),
    status: 200,
    output: Type.Array(projectCoverageView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, caller, input, page, origin }) {
      const scope = await instanceScope(deps, caller, input)
      const found = await listCoverage(deps, scope, { missing: input.missing, isStale: input.stale }, page)
      const rows = await withProjects(deps, found.rows)
      return {
        ...found,
        rows: rows.map(({ row, project }) => ({
          project: viewProject(project, origin),
          scanners: row.scanners.map(({ name, reportType, lastReportAt, isStale }) => ({
            name,
            report_type: reportType,
            last_report_at: lastReportAt,
            is_stale: isStale,
          })),
        })),
      }
    },
  }),
]
