import type { Namespace } from '../../../domain/namespaces/namespace.ts'
import type { ListScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { readableScope } from '../../../domain/vulnerabilities/list/readable-scope.ts'
import type { ConnectionArgs } from '../connection.ts'
import { type Context, permitPlace, type SchemaPart, visible } from '../context.ts'
import { globalId } from '../global-id.ts'
import { type FilterArgs, listArguments, type VulnerabilityArgs } from '../vulnerabilities/arguments.ts'
import { countDays, countFields, countSeverities } from '../vulnerabilities/counts.ts'
import { listVulnerabilities } from '../vulnerabilities/list.ts'
import {
  gradeField,
  gradeProjects,
  listVulnerabilityImages,
  listVulnerabilityScanners,
  scannerField,
  searchFields,
  searchIdentifiers,
} from '../vulnerabilities/overview.ts'

type GradeArgs = { letterGrade?: string | null }
type DayArgs = ConnectionArgs & { startDate: string; endDate: string }

/** Returns the projects of a group, or of the instance, whose vulnerabilities the caller may read; null without any right. */
async function scopeOf({ permit, deps, caller }: Context, group?: Namespace): Promise<ListScope | null> {
  const permitted = await visible(
    group ? permit('group.vulnerability.list', String(group.id)) : permit('instance.vulnerability.list'),
  )
  return permitted && caller && readableScope(deps, caller, { group })
}

export const groupSchema: SchemaPart = {
  types: `
"A group."
type Group {
  id: ID!
  name: String!
  path: String!
  fullName: String!
  fullPath: ID!
  description: String
  visibility: String
  webUrl: String!
  "Vulnerabilities of the projects in the group and its subgroups, as far as the caller may read them."
  vulnerabilities(${listArguments}): VulnerabilityConnection${countFields}${scannerField}${searchFields}${gradeField}
}
"Vulnerabilities of all projects that the caller may read."
type InstanceSecurityDashboard {${countFields}${scannerField}${searchFields}${gradeField}
}
extend type Query {
  "A group that the caller can see, by its full path."
  group(fullPath: ID!): Group
  "Vulnerabilities of all projects whose vulnerabilities the caller may read."
  vulnerabilities(${listArguments}): VulnerabilityConnection
  instanceSecurityDashboard: InstanceSecurityDashboard
}`,
  resolvers: {
    Query: {
      group: (_: unknown, { fullPath }: { fullPath: string }, context: Context) =>
        visible(permitPlace<Namespace>(context, 'group.read', fullPath)),
      vulnerabilities: async (_: unknown, args: VulnerabilityArgs, context: Context) =>
        listVulnerabilities(context, await scopeOf(context), args),
      instanceSecurityDashboard: (_: unknown, __: unknown, { caller }: Context) => caller && {},
    },
    Group: {
      id: ({ id }: Namespace) => globalId('Group', id),
      webUrl: ({ fullPath }: Namespace, _: unknown, { origin }: Context) => `${origin}/groups/${fullPath}`,
      vulnerabilities: async (group: Namespace, args: VulnerabilityArgs, context: Context) =>
        listVulnerabilities(context, await scopeOf(context, group), args),
      vulnerabilitySeveritiesCount: async (group: Namespace, args: FilterArgs, context: Context) =>
        countSeverities(context, await scopeOf(context, group), args),
      vulnerabilitiesCountByDay: async (group: Namespace, args: DayArgs, context: Context) =>
        countDays(context, await scopeOf(context, group), args),
      vulnerabilityScanners: async (group: Namespace, args: ConnectionArgs, context: Context) =>
        listVulnerabilityScanners(context, await scopeOf(context, group), args),
      vulnerabilityImages: async (group: Namespace, args: ConnectionArgs, context: Context) =>
        listVulnerabilityImages(context, await scopeOf(context, group), args),
      vulnerabilityIdentifierSearch: async (group: Namespace, args: { name: string }, context: Context) =>
        searchIdentifiers(context, await scopeOf(context, group), args),
      vulnerabilityGrades: async (group: Namespace, { letterGrade }: GradeArgs, context: Context) =>
        gradeProjects(context, await scopeOf(context, group), letterGrade),
    },
    InstanceSecurityDashboard: {
      vulnerabilitySeveritiesCount: async (_: unknown, args: FilterArgs, context: Context) =>
        countSeverities(context, await scopeOf(context), args),
      vulnerabilitiesCountByDay: async (_: unknown, args: DayArgs, context: Context) =>
        countDays(context, await scopeOf(context), args),
      vulnerabilityScanners: async (_: unknown, args: ConnectionArgs, context: Context) =>
        listVulnerabilityScanners(context, await scopeOf(context), args),
      vulnerabilityImages: async (_: unknown, args: ConnectionArgs, context: Context) =>
        listVulnerabilityImages(context, await scopeOf(context), args),
      vulnerabilityIdentifierSearch: async (_: unknown, args: { name: string }, context: Context) =>
        searchIdentifiers(context, await scopeOf(context), args),
      vulnerabilityGrades: async (_: unknown, { letterGrade }: GradeArgs, context: Context) =>
        gradeProjects(context, await scopeOf(context), letterGrade),
    },
  },
}
