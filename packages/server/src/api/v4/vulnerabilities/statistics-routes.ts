import Type, { type Static, type TSchema } from 'typebox'
import { openCache, perDatabase } from '../../../db/cache.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import type { State } from '../../../domain/findings/scales.ts'
import { listProjectsById } from '../../../domain/projects/projects.ts'
import { onlyProjectOf } from '../../../domain/vulnerabilities/list/counts/cached-counts.ts'
import { readLastScans } from '../../../domain/vulnerabilities/list/evidence.ts'
import { type ListScope, projectScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { readableScope } from '../../../domain/vulnerabilities/list/readable-scope.ts'
import {
  type BySeverity,
  type ProjectStatistics,
  readStatistics,
  type Statistics,
  statisticsTables,
} from '../../../domain/vulnerabilities/list/statistics.ts'
import { type RenderedRow, renderForCache } from '../../../http/response/rendered-row.ts'
import { serialiserOf } from '../../../http/response/serialiser.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableInteger, nullableTimestamp } from '../views.ts'
import { instanceScope, projectFilter, scopeProperties } from './scope-filters.ts'

/** Severities in the order of GitLab's statistics. */
const worstFirst = ['critical', 'high', 'medium', 'low', 'unknown', 'info'] as const

const each = <T extends Type.TSchema>(schema: T) =>
  Type.Object({ critical: schema, high: schema, medium: schema, low: schema, unknown: schema, info: schema })
const count = Type.Integer()
const counts = each(count)
const stateCounts = Type.Object({ detected: count, confirmed: count, resolved: count, dismissed: count })
const grade = Type.Unsafe<Statistics['letterGrade']>({
  type: ['string', 'null'],
  enum: ['A', 'B', 'C', 'D', 'F', null],
  description:
    'Null while findings on the default branch await promotion, and, unless the grade is F, if no report was ever imported for it',
})

const waitingFindings = Type.Integer({
  description:
    'Findings on the default branch that await promotion and are in no other count. 10001 stands for more than 10,000',
})

const statisticsFields = {
  total: Type.Integer({
    description: 'Active vulnerabilities (detected or confirmed). The counts by severity include only these, too',
  }),
  ...counts.properties,
  overdue: Type.Object(
    { total: count, ...counts.properties },
    { description: 'Active vulnerabilities after their due dates', title: 'OverdueCounts' },
  ),
  letter_grade: grade,
  waiting_findings: waitingFindings,
  counts: each(stateCounts),
  mean_time_to_resolve: Type.Unsafe<number | null>({
    ...nullableInteger,
    description: 'Mean number of seconds from detection to resolution of resolved vulnerabilities',
  }),
  mean_time_to_resolve_by_severity: each(nullableInteger),
  per_day: Type.Array(Type.Object({ date: Type.String({ format: 'date' }), total: count, ...counts.properties }), {
    description: 'Active vulnerabilities at the end of each of the last 365 days (UTC)',
  }),
}
const lastScan = Type.Unsafe<string | null>({
  ...nullableTimestamp,
  description: 'Time of the last import of a report for the default branch',
})
const statisticsView = Type.Object(
  { ...statisticsFields, last_scan_at: lastScan },
  { title: 'VulnerabilityStatistics' },
)
const rankedProjects = Type.Array(
  Type.Object(
    {
      id: Type.Integer(),
      name: Type.String(),
      name_with_namespace: Type.String(),
      path_with_namespace: Type.String(),
      web_url: Type.String(),
      letter_grade: grade,
      total: count,
      ...counts.properties,
      waiting_findings: waitingFindings,
      last_scan_at: lastScan,
    },
    { title: 'ProjectVulnerabilityCounts' },
  ),
)
const manyStatisticsView = Type.Object(
  {
    projects: count,
    projects_by_grade: Type.Object(
      { A: count, B: count, C: count, D: count, F: count },
      { description: 'Number of projects with each grade. Projects without a grade are not counted' },
    ),
    ...statisticsFields,
    most_affected_projects: {
      ...rankedProjects,
      description:
        'At most ten projects with active vulnerabilities: the most critical ones first, then high, and so on',
    },
    waiting_projects: {
      ...rankedProjects,
      description: 'At most ten projects with findings that await promotion, most first',
    },
  },
  { title: 'GroupVulnerabilityStatistics' },
)

function viewStatistics({ active, overdue, letterGrade, waitingFindings, counts, days, secondsToResolve }: Statistics) {
  return {
    ...viewActive(active),
    overdue: viewActive(overdue),
    letter_grade: letterGrade,
    waiting_findings: waitingFindings,
    counts: inOrder((severity) => byState(counts[severity])),
    mean_time_to_resolve: secondsToResolve.overall,
    mean_time_to_resolve_by_severity: inOrder((severity) => secondsToResolve.bySeverity[severity]),
    per_day: days.map(({ date, active }) => ({ date, ...viewActive(active) })),
  }
}

const maxCachedBytes = 4 * 1024 * 1024
/** Cached JSON of statistics. With its compressed forms, an entry takes at most twice the size of the JSON. */
const renderedStatistics = perDatabase((changes) =>
  openCache<RenderedRow<never>>(
    changes,
    [...statisticsTables, 'namespaces'],
    maxCachedBytes,
    ({ json }) => 2 * json.length,
  ),
)

/** Returns rendered statistics, cached until a table changes or the day ends. The key contains everything else that the view depends on. */
function renderStatistics<View extends TSchema>(
  deps: RootDeps,
  scope: ListScope,
  { schema, key }: { schema: View; key: string },
  view: () => Promise<Static<View>>,
): Promise<RenderedRow<Static<View>>> {
  const render = async () => renderForCache<never>(serialiserOf(schema)(await view()))
  const today = deps.now().slice(0, 10)
  return renderedStatistics(deps.db).getShared(`${today} ${key} ${scope.key}`, render, onlyProjectOf(scope))
}

const renderManyStatistics = (deps: RootDeps, scope: ListScope, origin: string) =>
  renderStatistics(deps, scope, { schema: manyStatisticsView, key: `many ${origin}` }, () =>
    viewManyStatistics(deps, scope, origin),
  )

/** Reads and views the statistics of any number of projects. */
async function viewManyStatistics(deps: RootDeps, scope: ListScope, origin: string) {
  const statistics = await readStatistics(deps, scope)
  const { mostAffected, waiting } = statistics
  const ids = new Set([...mostAffected, ...waiting].map(({ projectId }) => projectId))
  const [found, lastScans] = await Promise.all([listProjectsById(deps.db, [...ids]), readLastScans(deps.db, [...ids])])
  const projects = new Map(found.map((project) => [project.id, project]))
  const viewRanked = (ranked: readonly ProjectStatistics[]) =>
    ranked.flatMap(({ projectId, active, letterGrade, waitingFindings }) => {
      const project = projects.get(projectId)
      if (!project) return []
      return {
        id: project.id,
        name: project.name,
        name_with_namespace: `${project.namespace.fullName} / ${project.name}`,
        path_with_namespace: project.fullPath,
        web_url: `${origin}/${project.fullPath}`,
        letter_grade: letterGrade,
        ...viewActive(active),
        waiting_findings: waitingFindings,
        last_scan_at: lastScans.get(project.id) ?? null,
      }
    })
  return {
    projects: scope.projectIds.length,
    projects_by_grade: statistics.grades,
    ...viewStatistics(statistics),
    most_affected_projects: viewRanked(mostAffected),
    waiting_projects: viewRanked(waiting),
  }
}

function viewActive(active: BySeverity<number>) {
  const total = worstFirst.reduce((sum, severity) => sum + active[severity], 0)
  return { total, ...inOrder((severity) => active[severity]) }
}

/** Orders the counts by the life cycle of a vulnerability. */
function byState({ detected, confirmed, resolved, dismissed }: Record<State, number>) {
  return { detected, confirmed, resolved, dismissed }
}

function inOrder<T>(value: (severity: (typeof worstFirst)[number]) => T): BySeverity<T> {
  const [critical, high, medium] = [value('critical'), value('high'), value('medium')]
  return { critical, high, medium, low: value('low'), unknown: value('unknown'), info: value('info') }
}

export const vulnerabilityStatisticsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects/:id/vulnerability_statistics',
    summary: 'Get a project’s vulnerability statistics: current counts by severity and state, and daily counts',
    permission: 'vulnerability.statistics',
    status: 200,
    output: statisticsView,
    unknownFilters: 'refused',
    handle({ deps, project }) {
      const scope = projectScope(project.id)
      return renderStatistics(deps, scope, { schema: statisticsView, key: 'one' }, async () => {
        const [statistics, lastScans] = await Promise.all([
          readStatistics(deps, scope),
          readLastScans(deps.db, [project.id]),
        ])
        return { ...viewStatistics(statistics), last_scan_at: lastScans.get(project.id) ?? null }
      })
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id/vulnerability_statistics',
    summary: 'Get the vulnerability statistics of all readable projects in a group and its subgroups',
    permission: 'group.vulnerability.list',
    input: Type.Object({ project_id: projectFilter }),
    status: 200,
    output: manyStatisticsView,
    unknownFilters: 'refused',
    handle: async ({ deps, group, caller, input, origin }) =>
      renderManyStatistics(deps, await readableScope(deps, caller, { group, projectIds: input.project_id }), origin),
  }),
  route({
    method: 'GET',
    path: '/vulnerability_statistics',
    summary: 'Get the vulnerability statistics of all readable projects',
    permission: 'instance.vulnerability.list',
    input: Type.Object(scopeProperties),
    status: 200,
    output: manyStatisticsView,
    unknownFilters: 'refused',
    handle: async ({ deps, caller, input, origin }) =>
      renderManyStatistics(deps, await instanceScope(deps, caller, input), origin),
  }),
]
