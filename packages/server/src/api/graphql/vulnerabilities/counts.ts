import { GraphQLError } from 'graphql'
import { severities } from '../../../domain/findings/scales.ts'
import { countBySeverity } from '../../../domain/vulnerabilities/list/counts/severity-counts.ts'
import type { ListScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { readStatistics } from '../../../domain/vulnerabilities/list/statistics.ts'
import {
  type ConnectionArgs,
  connectionArguments,
  connectionOfAll,
  connectionTypes,
  emptyConnection,
} from '../connection.ts'
import type { Context, SchemaPart } from '../context.ts'
import { type FilterArgs, filterArguments, readFilterArgs, readProjectIds } from './arguments.ts'
import { narrowScope } from './list.ts'

/** Fields of a project, a group and the instance that count vulnerabilities. */
export const countFields = `
  "Number of matching vulnerabilities of each severity; null if the caller may not read them."
  vulnerabilitySeveritiesCount(${filterArguments}
    "Stop counting at 1001, so that the numbers of long lists are known as well."
    capped: Boolean = false): VulnerabilitySeveritiesCount
  "Number of active vulnerabilities at the end of each day in UTC; at most the last 365 days."
  vulnerabilitiesCountByDay(${connectionArguments}, startDate: ISO8601Date!, endDate: ISO8601Date!): VulnerabilitiesCountByDayConnection`

const each = severities.map((severity) => `  ${severity}: Int`).join('\n')

export const countSchema: SchemaPart = {
  types: `
"Numbers of vulnerabilities. A number is null for a long list with a filter that no index counts."
type VulnerabilitySeveritiesCount {
${each}
}
"Numbers of active vulnerabilities on a day."
type VulnerabilitiesCountByDay {
  date: ISO8601Date!
  total: Int!
${each.replaceAll('Int', 'Int!')}
}
${connectionTypes('VulnerabilitiesCountByDay')}`,
}

/** GitLab stops after a thousand, which its pages show as `1000+`. */
const maxCapped = 1001

export async function countSeverities(
  context: Context,
  scope: ListScope | null,
  args: FilterArgs & { capped?: boolean | null },
) {
  const filter = await readFilterArgs(context, scope, args)
  const narrowed = scope && narrowScope(scope, readProjectIds(args.projectId))
  if (!narrowed) return null
  if (!filter) return Object.fromEntries(severities.map((severity) => [severity, 0]))
  const counts = await countBySeverity(context.deps, narrowed, filter)
  const shown = (count: number | undefined) => (args.capped ? Math.min(count ?? maxCapped, maxCapped) : (count ?? null))
  return Object.fromEntries([...counts].map(([severity, count]) => [severity, shown(count)]))
}

export async function countDays(
  { deps }: Context,
  scope: ListScope | null,
  { startDate, endDate, ...page }: ConnectionArgs & { startDate: string; endDate: string },
) {
  if (startDate > endDate) throw new GraphQLError('`startDate` must not be after `endDate`')
  if (!scope) return emptyConnection()
  const { days } = await readStatistics(deps, scope)
  const within = days.filter(({ date }) => date >= startDate && date <= endDate)
  const rows = within.map(({ date, active }) => ({
    date,
    ...active,
    total: Object.values(active).reduce((sum, count) => sum + count, 0),
  }))
  return connectionOfAll(rows, page)
}
