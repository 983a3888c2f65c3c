import type { Project } from '../../../domain/projects/project.ts'
import { projectScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { type Context, type SchemaPart, visible } from '../context.ts'
import { globalId } from '../global-id.ts'
import { listArguments, type VulnerabilityArgs } from '../vulnerabilities/arguments.ts'
import { listVulnerabilities } from '../vulnerabilities/list.ts'
import { permitProject } from './permit-project.ts'

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
  vulnerabilities(${listArguments}): VulnerabilityConnection
}
extend type Query {
  "A project that the caller can see, by its full path."
  project(fullPath: ID!): Project
}`,
  resolvers: {
    Query: {
      project: (_: unknown, { fullPath }: { fullPath: string }, context: Context) =>
        visible(permitProject(context, 'project.read', fullPath)),
    },
    Project: {
      id: ({ id }: Project) => globalId('Project', id),
      nameWithNamespace: ({ name, namespace }: Project) => `${namespace.fullName} / ${name}`,
      archived: ({ isArchived }: Project) => isArchived,
      webUrl: ({ fullPath }: Project, _: unknown, { origin }: Context) => `${origin}/${fullPath}`,
      async vulnerabilities({ id }: Project, args: VulnerabilityArgs, context: Context) {
        const permitted = await visible(context.permit('vulnerability.list', String(id)))
        return listVulnerabilities(context, permitted && projectScope(id), args)
      },
    },
  },
}
