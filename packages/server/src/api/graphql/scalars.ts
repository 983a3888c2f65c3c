import { GraphQLError, type GraphQLScalarType, type GraphQLSchema, valueFromASTUntyped } from 'graphql'
import { readGlobalId } from './global-id.ts'

/** Scalars that hold global ids, and the models whose records they identify. */
const idScalars: Readonly<Record<string, string>> = {
  IssueID: 'Issue',
  ProjectID: 'Project',
  VulnerabilityID: 'Vulnerability',
  VulnerabilitiesScannerID: 'Vulnerabilities::Scanner',
  VulnerabilitiesIssueLinkID: 'Vulnerabilities::IssueLink',
  VulnerabilitiesExternalIssueLinkID: 'Vulnerabilities::ExternalIssueLink',
}

export const scalarTypes = `
"An ISO 8601-encoded date and time, such as 2026-09-01T10:00:00.000Z."
scalar Time
"An ISO 8601-encoded date, such as 2026-09-01."
scalar ISO8601Date
${Object.entries(idScalars)
  .map(([name, model]) => `"A global id, such as gid://gitlab/${model}/1."\nscalar ${name}`)
  .join('\n')}`

/** Adds to the scalars how their inputs are read: global ids become ids. Results are texts already. */
export function addScalarReaders(schema: GraphQLSchema): void {
  for (const [name, model] of Object.entries(idScalars)) addReader(schema, name, (value) => readGlobalId(model, value))
  addReader(schema, 'Time', readTime)
  addReader(schema, 'ISO8601Date', (value) => readTime(value).slice(0, 10))
}

function addReader(schema: GraphQLSchema, name: string, read: (value: unknown) => unknown): void {
  const scalar = schema.getType(name) as GraphQLScalarType // it is declared above
  scalar.parseValue = read
  scalar.parseLiteral = (node, variables) => read(valueFromASTUntyped(node, variables))
}

function readTime(value: unknown): string {
  const isTime = typeof value === 'string' && value.length < 40 && /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d|$)/.test(value)
  const time = isTime ? Date.parse(value) : Number.NaN
  if (Number.isNaN(time)) throw new GraphQLError(`${JSON.stringify(String(value).slice(0, 40))} is not a valid time`)
  return new Date(time).toISOString()
}
