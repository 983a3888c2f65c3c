import type { FastifyReply, FastifyRequest } from 'fastify'
import { mayHaveCommitted } from '../../platform/failure.ts'
import { isBug, isOutage, withOutcome } from '../errors.ts'
import { sendError } from '../response/render.ts'
import { authenticate, authenticateByBody, collectCredentials, rejectForeignOrigin } from './authenticate.ts'
import { authorize, authorizeBeforeFile, rejectMissing, resolveResource } from './authorize.ts'
import { limitUnreadBody, readBody, rejectAnnouncedLength, removeUncommittedFiles } from './body/request-body.ts'
import type { Endpoint } from './endpoint.ts'
import { isRead } from './request-facts.ts'
import { openRequestState, type RequestState } from './request-state.ts'
import { respond } from './respond.ts'
import { validateInput } from './validate-input.ts'

/** Returns a promise only when it waits for something, because each await delays a request by a turn. */
type Step = (endpoint: Endpoint, state: RequestState) => void | Promise<void>

/**
 * What happens to a request, in order. The order is visible to clients and follows GitLab: a wrong token is 401 on every
 * route, and invalid input is 400 before a missing right is 403 or 404 (exceptions: `permissions.ts`).
 */
const steps: readonly Step[] = [
  rejectForeignOrigin,
  rejectAnnouncedLength,
  collectCredentials,
  authenticate,
  resolveResource,
  authorizeBeforeFile,
  readBody,
  authenticateByBody,
  rejectMissing,
  validateInput,
  authorize,
  respond,
]

/** Handles one request of a route, from its headers to the last byte of the response. Never throws. */
export async function handleRequest(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  let state: RequestState | undefined
  try {
    state = openRequestState(endpoint, request, reply)
    for (const step of steps) {
      const pending = step(endpoint, state)
      if (pending) await pending
    }
    if (state.files.length > 0) await removeUncommittedFiles(endpoint, state)
  } catch (error) {
    if (isBug(error)) request.log.error({ err: error }, 'request failed')
    // When a commit may have happened its objects stay: an orphan is cleaned up, a row without its object is damage.
    if (state && !mayHaveCommitted(error)) await removeUncommittedFiles(endpoint, state)
    if (isOutage(error)) request.log.error({ err: error }, 'request refused for now')
    const outcome = isRead(request) ? error : withOutcome(error, state?.hasCommitted ?? false)
    if (!reply.sent) sendError(request, reply, outcome, endpoint.route.viewError)
  }
  limitUnreadBody(request)
}
