import Type from 'typebox'
import { mediaTypeOf } from '../../http/params/body.ts'
import { freeForm, optional, text } from '../../http/params/input.ts'
import type { Route, RouteContext } from '../../http/route.ts'
import { Failure } from '../../platform/failure.ts'
import { route } from '../v4/route.ts'
import { readOperationParams, readOperations } from './request.ts'

/** Maximum size of a body, which a comment of 50,000 characters fits into. */
const maxBodyBytes = 512 * 1024

const resultView = Type.Unsafe<object>({
  title: 'GraphqlResult',
  description: 'An object with `data` and `errors`, or a list of them for a list of operations',
})

/** GraphQL clients read errors in this form only. */
const viewError = (message: string) => ({ errors: [{ message }] })

/** Loads the interpreter with the first request: a program that receives none does not need it. */
const loadExecute = async () => (await import('./execute.ts')).executeOperations

export const graphqlRoutes: readonly Route[] = [
  route({
    method: 'POST',
    base: '/api',
    path: '/graphql',
    summary: 'Execute a GraphQL query or mutation',
    permission: 'graphql.execute',
    // For the OpenAPI document. The body may also be a list, which `readOperations` reads.
    input: Type.Object({
      query: optional(text({ description: 'The document. A list of up to 10 such objects is a batch' })),
      variables: optional(freeForm({ description: 'Values of its variables' })),
      operationName: optional(text({ description: 'The operation to execute, in a document with several' })),
    }),
    rawBody: true,
    maxTextBytes: maxBodyBytes,
    viewError,
    status: 200,
    output: resultView,
    async handle(context) {
      assertJson(context.raw.headers['content-type'])
      const { operations, isBatch } = readOperations(context.raw.body)
      const executeOperations = await loadExecute()
      const results = await executeOperations(context as RouteContext, operations, { isReading: false })
      return isBatch ? results : (results[0] ?? {})
    },
  }),
  route({
    method: 'GET',
    base: '/api',
    path: '/graphql',
    summary: 'Execute a GraphQL query',
    permission: 'graphql.execute',
    input: Type.Object({
      query: text({ description: 'The document' }),
      variables: optional(text({ description: 'Values of its variables, a JSON object' })),
      operationName: optional(text({ description: 'The operation to execute, in a document with several' })),
    }),
    viewError,
    status: 200,
    output: resultView,
    async handle(context) {
      const executeOperations = await loadExecute()
      const operation = readOperationParams(context.input)
      const [result = {}] = await executeOperations(context as RouteContext, [operation], { isReading: true })
      return result
    },
  }),
]

/** Other types are what forms of other sites could send. */
function assertJson(contentType: string | string[] | undefined): void {
  const type = mediaTypeOf(String(contentType ?? ''))
  if (type === 'application/json' || type.endsWith('+json')) return
  throw new Failure({ kind: 'unsupported-content-type', contentType: String(contentType ?? '') })
}
