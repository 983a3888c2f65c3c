import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  specifiedRules,
  validate,
} from 'graphql'
import { isOutage } from '../../http/errors.ts'
import type { RouteContext } from '../../http/route.ts'
import { Failure } from '../../platform/failure.ts'
import { type Context, isRefusal, openContext } from './context.ts'
import { assertWithinCost, type Cost, costOf } from './cost.ts'
import { parseWithinLimits } from './document-limits.ts'
import { plainIntrospection } from './introspection-limits.ts'
import type { Operation } from './request.ts'
import { loadSchema } from './schema.ts'

/** An operation that is ready to run. */
interface Prepared {
  document: DocumentNode
  operation: OperationDefinitionNode
  variables: Operation['variables']
  cost: Cost
}

/** The result of an operation, as it is sent. */
export type Result = Pick<ExecutionResult, 'data'> & { errors?: readonly object[] }

/** Executes the operations of a request one after the other. */
export async function executeOperations(
  route: RouteContext,
  operations: readonly Operation[],
  { isReading }: { isReading: boolean },
): Promise<Result[]> {
  const prepared = operations.map((operation) => prepare(operation, isReading))
  const ready = prepared.filter((one) => 'document' in one)
  noteOperations(route, ready)
  const excess = excessOf(ready, route)
  const context = openContext(route)
  const results: Result[] = []
  for (const one of prepared) {
    if (!('document' in one)) results.push({ errors: one.errors })
    else if (excess.length > 0) results.push({ errors: excess })
    else results.push(await run(one, context))
  }
  return results
}

/** Returns the errors of operations that are too expensive together. */
function excessOf(ready: readonly Prepared[], { caller }: RouteContext): object[] {
  return problemsOf(() => {
    assertWithinCost(
      ready.map(({ cost }) => cost),
      caller !== null,
    )
    return []
  })
}

/** Parses, validates and measures an operation. Returns its errors, if it cannot run. */
function prepare({ query, variables, operationName }: Operation, isReading: boolean): Prepared | { errors: object[] } {
  let prepared: Prepared | undefined
  const errors = problemsOf(() => {
    const schema = loadSchema()
    const document = parseWithinLimits(query)
    const invalid = validate(schema, document, rules)
    if (invalid.length > 0) return invalid
    const operation = getOperationAST(document, operationName)
    if (!operation) throw new GraphQLError(noOperation(operationName))
    if (isReading && operation.operation !== 'query') throw new GraphQLError('Mutations are forbidden in GET requests')
    prepared = { document, operation, variables, cost: costOf(schema, { document, operation, variables }) }
    return []
  })
  return prepared ?? { errors }
}

const rules = [...specifiedRules, plainIntrospection]

const noOperation = (name: string | undefined) =>
  name === undefined ? 'An operation name is required' : `No operation named ${JSON.stringify(name.slice(0, 200))}`

/** Returns the errors that `work` returns or throws. */
function problemsOf(work: () => readonly GraphQLError[]): object[] {
  try {
    return work().map((error) => error.toJSON())
  } catch (error) {
    if (error instanceof GraphQLError) return [error.toJSON()]
    throw error
  }
}

async function run({ document, operation, variables }: Prepared, context: Context): Promise<Result> {
  const { data = null, errors } = await execute({
    schema: loadSchema(),
    document,
    contextValue: context,
    variableValues: variables,
    operationName: operation.name?.value,
  })
  return { data, ...(errors && { errors: errors.map(viewError) }) }
}

/** GitLab's sentence for everything that the caller may not see or do. */
const notAvailable =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action"

/** Whether the caller should try again later. */
const isBusy = ({ cause }: Failure) => cause.kind === 'busy' || cause.kind === 'too-many-requests'

/** Returns an error as it is sent. Throws the cause of a bug and of an outage, which the response as a whole reports. */
function viewError(error: GraphQLError): object {
  const cause = error.originalError
  if (!cause || cause instanceof GraphQLError) return error.toJSON()
  if (!(cause instanceof Failure) || isOutage(cause) || isBusy(cause)) throw cause
  const message = isRefusal(cause) ? (sentenceOf(cause) ?? notAvailable) : cause.message
  return { ...error.toJSON(), message }
}

/** Returns the sentence of a refusal that says why, such as that of an archived project. */
const sentenceOf = ({ cause }: Failure) => (cause.kind === 'forbidden' ? (cause.sentence ?? cause.reason) : undefined)

const maxNoted = 100

/** Adds the operations to the request's line in the log and to the metrics. */
function noteOperations({ note, deps }: RouteContext, ready: readonly Prepared[]): void {
  const names: string[] = []
  for (const { operation } of ready) {
    const name = operation.name?.value.slice(0, maxNoted) ?? 'anonymous'
    const fields = operation.selectionSet.selections.map((one) => (one.kind === Kind.FIELD ? one.name.value : '...'))
    names.push(`${operation.operation} ${name}`)
    for (const field of new Set(fields)) deps.metrics.countGraphqlField(operation.operation, field)
  }
  if (names.length > 0) note({ operation: names.join(', ') })
}
