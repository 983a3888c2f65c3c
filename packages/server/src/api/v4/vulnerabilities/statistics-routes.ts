import Type from 'typebox'
import type { State } from '../../../domain/findings/scales.ts'
import { projectScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { groupScope } from '../../../domain/vulnerabilities/list/group-scope.ts'
import { type BySeverity, readStatistics, type Statistics } from '../../../domain/vulnerabilities/list/statistics.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableInteger } from '../views.ts'

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
    'Null if no report was ever imported for the default branch, and, unless the grade is F, while findings on it await promotion',
})

const statisticsFields = {
  total: Type.Integer({
    description: 'Active vulnerabilities (detected or confirmed). The counts by severity include only these, too',
  }),
  ...counts.properties,
  letter_grade: grade,
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
const statisticsView = Type.Object(statisticsFields, { title: 'VulnerabilityStatistics' })
const groupStatisticsView = Type.Object(
  {
    projects: count,
    projects_by_grade: Type.Object(
      { A: count, B: count, C: count, D: count, F: count },
      { description: 'Number of projects with each grade. Projects without a grade are not counted' },
    ),
    ...statisticsFields,
  },
  { title: 'GroupVulnerabilityStatistics' },
)

function viewStatistics({ active, letterGrade, counts, days, secondsToResolve }: Statistics) {
  return {
    ...viewActive(active),
    letter_grade: letterGrade,
    counts: inOrder((severity) => byState(counts[severity])),
    mean_time_to_resolve: secondsToResolve.overall,
    mean_time_to_resolve_by_severity: inOrder((severity) => secondsToResolve.bySeverity[severity]),
    per_day: days.map(({ date, active }) => ({ date, ...viewActive(active) })),
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
    handle: async ({ deps, project }) => viewStatistics(await readStatistics(deps, projectScope(project.id))),
  }),
  route({
    method: 'GET',
    path: '/groups/:id/vulnerability_statistics',
    summary: 'Get the vulnerability statistics of all readable projects in a group and its subgroups',
    permission: 'group.vulnerability.list',
    status: 200,
    output: groupStatisticsView,
    unknownFilters: 'refused',
    async handle({ deps, group, caller }) {
      const scope = await groupScope(deps, group, caller)
      const statistics = await readStatistics(deps, scope)
      return {
        projects: scope.projectIds.length,
        projects_by_grade: statistics.grades,
        ...viewStatistics(statistics),
      }
    },
  }),
]
