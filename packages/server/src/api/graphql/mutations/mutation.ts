import type { Caller } from '../../../domain/access/callers.ts'
import type { Permission } from '../../../domain/access/permissions.ts'
import { errorResponse, isOutage, sentencesOf } from '../../../http/errors.ts'
import { Failure, unauthenticated } from '../../../platform/failure.ts'
import { type Context, isRefusal } from '../context.ts'

/** What every input of a mutation may have: a text that the response repeats. */
export interface MutationInput {
  clientMutationId?: string | null
}

/** Declares the types of a mutation: its field, its input and its payload. */
export const mutationTypes = (name: string, input: string, payload: string) => {
  const type = name.charAt(0).toUpperCase() + name.slice(1)
  return `
extend type Mutation { ${name}(input: ${type}Input!): ${type}Payload }
input ${type}Input {
  clientMutationId: String
${input}
}
type ${type}Payload {
  clientMutationId: String
  "Why nothing was changed, or what awaits approval; empty after a success."
  errors: [String!]!
${payload}
}`
}

/** Returns the caller, who must be signed in to change anything. */
export function callerOf({ caller }: Context): Caller {
  if (!caller) throw unauthenticated()
  return caller
}

/** Checks a permission to write. A state that the resource has already says nothing to callers who may not change it. */
export async function permitWrite({ permit }: Context, permission: Permission, id: number) {
  try {
    return (await permit(permission, String(id))).resources
  } catch (error) {
    throw isUnchanged(error) ? new Failure({ kind: 'forbidden' }) : error
  }
}

export function isUnchanged(error: unknown): boolean {
  return error instanceof Failure && error.cause.kind === 'unchanged'
}

/** Returns the payload of a mutation. Rules that the input violates become its `errors`. */
export async function payloadOf<Result extends object>(
  { clientMutationId = null }: MutationInput,
  work: () => Promise<Result>,
): Promise<object> {
  try {
    return { clientMutationId, errors: [], ...(await work()) }
  } catch (error) {
    if (!(error instanceof Failure) || isRefusal(error) || isOutage(error)) throw error
    return { clientMutationId, errors: sentencesOf(errorResponse(error).body) }
  }
}
