import { buildSchema, type GraphQLFieldResolver, type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql'
import { pageInfoType } from './connection.ts'
import type { Context, SchemaPart } from './context.ts'
import { groupSchema } from './groups/groups.ts'
import { createSchema } from './mutations/create.ts'
import { issueLinkSchema } from './mutations/issue-links.ts'
import { triageSchema } from './mutations/triage.ts'
import { projectSchema } from './projects/projects.ts'
import { addScalarReaders, scalarTypes } from './scalars.ts'
import { userSchema } from './users/users.ts'
import { countSchema } from './vulnerabilities/counts.ts'
import { overviewSchema } from './vulnerabilities/overview.ts'
import { vulnerabilitySchema } from './vulnerabilities/vulnerabilities.ts'

/** Without `DIRECTIVE_DEFINITION`, which the library adds and which clients such as gql do not know. */
const deprecatedDirective = `
directive @deprecated(reason: String = "No longer supported") on
  FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
`

const parts: readonly SchemaPart[] = [
  { types: deprecatedDirective },
  {
    types: `${scalarTypes}${pageInfoType}\n"The root of all queries."\ntype Query\n"The root of all changes."\ntype Mutation`,
  },
  userSchema,
  groupSchema,
  projectSchema,
  vulnerabilitySchema,
  countSchema,
  overviewSchema,
  triageSchema,
  issueLinkSchema,
  createSchema,
]

let built: GraphQLSchema | undefined

/** Returns the schema, which is built when it is first needed. */
export function loadSchema(): GraphQLSchema {
  built ??= build()
  return built
}

function build(): GraphQLSchema {
  const schema = buildSchema(parts.map(({ types }) => types).join('\n'))
  addScalarReaders(schema)
  for (const { resolvers = {} } of parts) {
    for (const [type, fields] of Object.entries(resolvers)) addResolvers(schema, type, fields)
  }
  return schema
}

function addResolvers(schema: GraphQLSchema, typeName: string, resolvers: object): void {
  const type = schema.getType(typeName)
  if (!isObjectType(type) && !isInterfaceType(type)) throw new Error(`the schema has no type ${typeName}`)
  const fields = type.getFields()
  for (const [name, resolve] of Object.entries(resolvers)) {
    const field = fields[name]
    if (!field) throw new Error(`${typeName} has no field ${name}`)
    field.resolve = resolve as GraphQLFieldResolver<unknown, Context> // see `Resolver`
  }
}
