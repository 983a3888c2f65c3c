import { assertJsonBudget } from '../../http/params/json-budget.ts'
import { wellFormed } from '../../http/params/raw-params.ts'
import { parameterProblem } from '../../platform/failure.ts'

/** One operation of a request. */
export interface Operation {
  /** Text of the document. */
  query: string
  variables: Record<string, unknown>
  operationName: string | undefined
}

/** Operations of a body: one, or several in a list. */
export interface Operations {
  operations: Operation[]
  isBatch: boolean
}

/** Maximum number of operations in one request. */
export const maxOperations = 10

/** Reads the JSON body of a request. Throws when it is not valid. */
export function readOperations(body: Uint8Array): Operations {
  assertJsonBudget(body)
  const value = parseJson(new TextDecoder().decode(body), 'the body')
  if (!Array.isArray(value)) return { operations: [readOperation(value)], isBatch: false }
  if (value.length === 0) throw parameterProblem('the list of operations is empty')
  if (value.length > maxOperations) {
    throw parameterProblem(`a request may have at most ${maxOperations} operations; this one has ${value.length}`)
  }
  return { operations: value.map(readOperation), isBatch: true }
}

/** Reads the operation of a query string, whose variables are JSON. */
export function readOperationParams(params: {
  query?: string | undefined
  variables?: string | undefined
  operationName?: string | undefined
}): Operation {
  const { variables } = params
  if (variables !== undefined) assertJsonBudget(Buffer.from(variables))
  return readOperation({ ...params, variables: variables?.trim() ? parseJson(variables, 'variables') : undefined })
}

function readOperation(value: unknown): Operation {
  if (!isObject(value)) throw parameterProblem('an operation must be a JSON object')
  const { query, operationName } = value
  // Some clients send the variables as text.
  const variables =
    typeof value['variables'] === 'string' && value['variables'].trim() !== ''
      ? parseJson(value['variables'], 'variables')
      : value['variables']
  if (typeof query !== 'string' || query.trim() === '') throw parameterProblem('No query string was present')
  if (variables && !isObject(variables)) throw parameterProblem('variables must be a JSON object')
  if (operationName && typeof operationName !== 'string') throw parameterProblem('operationName must be a text')
  return {
    query: storable(query),
    variables: isObject(variables) ? (storableIn(variables) as Operation['variables']) : {}, // the same object, copied
    operationName: typeof operationName === 'string' && operationName !== '' ? operationName : undefined,
  }
}

/** Returns a text that both databases store. Throws for a NUL, as REST does. */
function storable(text: string): string {
  if (text.includes('\0')) throw parameterProblem('a text contains a NUL character')
  return wellFormed(text)
}

/** Returns a copy of a JSON value with storable texts. Its depth is limited by `assertJsonBudget`. */
function storableIn(value: unknown): unknown {
  if (typeof value === 'string') return storable(value)
  if (Array.isArray(value)) return value.map(storableIn)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, storableIn(field)]))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw parameterProblem(`${what} is not valid JSON`)
  }
}
