import Type from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { listProjectsById } from '../../../domain/projects/projects.ts'
import type { Activity, ImportActivity, TriageActivity } from '../../../domain/vulnerabilities/dashboard/activity.ts'
import { readDashboard } from '../../../domain/vulnerabilities/dashboard/dashboard.ts'
import type { ListScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { readableScope } from '../../../domain/vulnerabilities/list/readable-scope.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableUser, viewBasicUser } from '../users/views.ts'
import { nullableString, timestamp } from '../views.ts'
import { instanceScope, scopeProperties } from './scope-filters.ts'

const projectFields = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path_with_namespace: Type.String(),
  web_url: Type.String(),
})

const importFields = Type.Object({
  id: Type.Integer(),
  ref: Type.String(),
  scanner: nullableString,
  new: Type.Integer(),
  reappeared: Type.Integer(),
  absent: Type.Integer({ description: 'Findings that are no longer detected' }),
  held: Type.Integer({ description: 'Absent findings that await a decision' }),
})

const vulnerabilityFields = Type.Object({ id: Type.Integer(), title: Type.String() })
const triageFields = Type.Object({
  action: Type.Unsafe<TriageActivity['action']>({
    type: 'string',
    enum: ['confirm', 'resolve', 'dismiss', 'revert'],
  }),
  total: Type.Integer({ description: 'Number of vulnerabilities' }),
  vulnerability: Type.Unsafe<{ id: number; title: string } | null>({
    ...vulnerabilityFields,
    type: ['object', 'null'],
    description: 'Null for several vulnerabilities',
  }),
})

const activityView = Type.Object(
  {
    kind: Type.Unsafe<Activity['kind']>({ type: 'string', enum: ['import', 'triage'] }),
    created_at: timestamp,
    project: projectFields,
    author: nullableUser,
    import: Type.Unsafe<ReturnType<typeof viewImport> | null>({ ...importFields, type: ['object', 'null'] }),
    triage: Type.Unsafe<ReturnType<typeof viewTriage> | null>({ ...triageFields, type: ['object', 'null'] }),
  },
  { title: 'SecurityActivity' },
)

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

const viewImport = ({ importId, ref, scanner, reappeared, absent, held, ...counts }: ImportActivity) => ({
  id: importId,
  ref,
  scanner,
  new: counts.new,
  reappeared,
  absent,
  held,
})

const viewTriage = ({ action, total, vulnerability }: TriageActivity) => ({ action, total, vulnerability })

const viewProject = (project: Project, origin: string) => ({
  id: project.id,
  name: project.name,
  name_with_namespace: `${project.namespace.fullName} / ${project.name}`,
  path_with_namespace: project.fullPath,
  web_url: `${origin}/${project.fullPath}`,
})

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
    activity: withProject(activity).map(({ row, project }) => ({
      kind: row.kind,
      created_at: row.createdAt,
      project,
      author: row.kind === 'triage' && row.author ? viewBasicUser(row.author, origin) : null,
      import: row.kind === 'import' ? viewImport(row) : null,
      triage: row.kind === 'triage' ? viewTriage(row) : null,
    })),
  }
}

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
]
