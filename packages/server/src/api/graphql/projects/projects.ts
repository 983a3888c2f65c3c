import type { Project } from '../../../domain/projects/project.ts'
import { type ListScope, projectScope } from '../../../domain/vulnerabilities/list/filter.ts'
import type { ConnectionArgs } from '../connection.ts'
import { type Context, permitPlace, type SchemaPart, visible } from '../context.ts'
import { globalId } from '../global-id.ts'
import { type FilterArgs, listArguments, type VulnerabilityArgs } from '../vulnerabilities/arguments.ts'
import { countDays, countFields, countSeverities } from '../vulnerabilities/counts.ts'
import { listVulnerabilities } from '../vulnerabilities/list.ts'
import {
  countActive,
  describeScans,
  listVulnerabilityImages,
  listVulnerabilityScanners,
  scannerField,
  searchFields,
  searchIdentifiers,
  statisticField,
} from '../vulnerabilities/overview.ts'

type DayArgs = ConnectionArgs & { startDate: string; endDate: string }

/** Returns null if the caller may not read the vulnerabilities of the project. */
async function scopeOf({ permit }: Context, { id }: Project): Promise<ListScope | null> {
  return (await visible(permit('vulnerability.list', String(id)))) && projectScope(id)
}

export const projectSchema: SchemaPart = {
  types: `
"A project."
type Project {
  id: ID!
  name: String!
  nameWithNamespace: String!
  path: String!
  fullPath: ID!
  description: String
  visibility: String
  archived: Boolean
  starCount: Int!
  createdAt: Time
  updatedAt: Time
  lastActivityAt: Time
  webUrl: String
  "Vulnerabilities of the project; empty if the caller may not read them."
  vulnerabilities(${listArguments}): VulnerabilityConnection${countFields}${scannerField}${searchFields}${statisticField}
}
extend type Query {
  "A project that the caller can see, by its full path."
  project(fullPath: ID!): Project
}`,
  resolvers: {
    Query: {
      project: (_: unknown, { fullPath }: { fullPath: string }, context: Context) =>
        visible(permitPlace<Project>(context, 'project.read', fullPath)),
    },
    Project: {
      id: ({ id }: Project) => globalId('Project', id),
      nameWithNamespace: ({ name, namespace }: Project) => `${namespace.fullName} / ${name}`,
      archived: ({ isArchived }: Project) => isArchived,
      webUrl: ({ fullPath }: Project, _: unknown, { origin }: Context) => `${origin}/${fullPath}`,
      vulnerabilities: async (project: Project, args: VulnerabilityArgs, context: Context) =>
        listVulnerabilities(context, await scopeOf(context, project), args),
      vulnerabilitySeveritiesCount: async (project: Project, args: FilterArgs, context: Context) =>
        countSeverities(context, await scopeOf(context, project), args),
      vulnerabilitiesCountByDay: async (project: Project, args: DayArgs, context: Context) =>
        countDays(context, await scopeOf(context, project), args),
      vulnerabilityScanners: async (project: Project, args: ConnectionArgs, context: Context) =>
        listVulnerabilityScanners(context, await scopeOf(context, project), args),
      vulnerabilityImages: async (project: Project, args: ConnectionArgs, context: Context) =>
        listVulnerabilityImages(context, await scopeOf(context, project), args),
      vulnerabilityIdentifierSearch: async (project: Project, args: { name: string }, context: Context) =>
        searchIdentifiers(context, await scopeOf(context, project), args),
      securityScanners: async (project: Project, _: unknown, context: Context) =>
        describeScans(context, await scopeOf(context, project)),
      vulnerabilityStatistic: async (project: Project, _: unknown, context: Context) =>
        countActive(context, await scopeOf(context, project)),
    },
  },
}
