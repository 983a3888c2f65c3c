import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/access/callers.ts'
import type { Failure } from '../../platform/failure.ts'
import type { Found } from '../guard.ts'

/** A security event that a route logs. */
export interface Audit {
  /** Name such as `member.added`. */
  event: string
  /** Parameters to log, such as ids and levels. Never secrets. */
  fields?: readonly string[]
}

type Input = Record<string, unknown>

interface Facts {
  user?: Pick<Caller['user'], 'id' | 'username'> | undefined
  reason?: string
  /** What the handler has noted. */
  fields?: Record<string, string>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until something is noted. */
    auditFacts: Facts | null
  }
}

/** Gives every request a place for what the log says about it. */
export function decorateForAudit(app: FastifyInstance): void {
  app.decorateRequest('auditFacts', null)
}

/** Records the user of a request for the log. */
export function noteUser(request: FastifyRequest, user: Caller['user'] | undefined): void {
  if (user) request.auditFacts = { ...request.auditFacts, user }
}

/** Records why a request was rejected for the log. */
export function noteFailure(request: FastifyRequest, { cause }: Failure): void {
  request.auditFacts = { ...request.auditFacts, reason: cause.kind }
}

/** Records what the handler wants in the log. */
export function noteFields(request: FastifyRequest, fields: Record<string, string>): void {
  request.auditFacts = { ...request.auditFacts, fields: { ...request.auditFacts?.fields, ...fields } }
}

const refusals: readonly number[] = [401, 403, 429]

/** Returns the log fields of the user, the handler and the rejection of a request. */
export function describeOutcome(request: FastifyRequest, status: number): Record<string, unknown> {
  const { user, reason, fields } = request.auditFacts ?? {}
  return {
    ...fields,
    ...(user && { user_id: user.id }),
    ...(refusals.includes(status) && { event: 'request.refused', reason: reason ?? 'unknown' }),
  }
}

const maxValueLength = 200

/** Logs the security event of a successful request. */
export function logAudit(
  request: FastifyRequest,
  { event, fields = [] }: Audit,
  { caller, found, input, result }: { caller: Caller | null; found: Found; input: Input; result: unknown },
): void {
  const given = fields.filter((field) => input[field] !== undefined)
  const named = given.map((field) => [field, String(input[field]).slice(0, maxValueLength)])
  request.log.info(
    {
      event,
      ...(caller && { by_user_id: caller.user.id, by_username: caller.user.username, with: caller.token.kind }),
      ...Object.fromEntries(Object.entries(found.resources).map(([kind, { id }]) => [`${kind}_id`, id])),
      ...(named.length > 0 && { parameters: Object.fromEntries(named) }),
      ...(hasId(result) && { result_id: result.id }),
    },
    'security event',
  )
}

function hasId(result: unknown): result is { id: number } {
  return typeof result === 'object' && result !== null && 'id' in result && typeof result.id === 'number'
}
