import { conflict, forbidden, notFound } from '../../../platform/failure.ts'
import { projectEntity } from '../../audit/audit-event.ts'
import type { AuditEventName } from '../../audit/event-name.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import { type Deps, projectTransaction } from '../../deps.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import { isStillPermitted } from '../../projects/current-rights.ts'
import type { Project } from '../../projects/project.ts'
import type { User } from '../../users/user.ts'
import { findUserById } from '../../users/users.ts'
import { addToFacetCounts } from '../list/counts/count-change-queries.ts'
import { countChanges } from '../list/counts/count-changes.ts'
import { applyChange, type Dismissal, entryOf } from '../triage/change.ts'
import { listWithFix } from '../triage/dismissals/ended-dismissal-queries.ts'
import { recordHistory } from '../triage/history/history.ts'
import type { HistoryEntry } from '../triage/history/history-entry.ts'
import { assertComment, type ChangedVulnerability, saveChanges } from '../triage/triage.ts'
import { lockVulnerabilities } from '../triage/triage-queries.ts'
import type { Vulnerability } from '../vulnerability.ts'
import type { DismissalRequest } from './dismissal-request.ts'
import { countRequests, type Decision, decideRequest, findRequest, listRequests } from './dismissal-request-queries.ts'
import { listPersonsOfBot, listTokenIssuers, personOf } from './persons.ts'

export async function getRequest({ db }: Deps, project: Project, id: number): Promise<DismissalRequest> {
  const request = await findRequest(db, project.id, id)
  if (!request) throw notFound()
  return request
}

/** Returns the requests of a project, newest first. */
export async function findRequests(
  { db }: Deps,
  project: Project,
  state: DismissalRequest['state'] | undefined,
  page: PageRequest,
): Promise<Page<DismissalRequest>> {
  const [rows, counted] = await Promise.all([
    listRequests(db, project.id, state, page),
    countRequests(db, project.id, state),
  ])
  return pageOf(page, rows, counted)
}

/** A decision of a user about a request. */
export interface RequestDecision {
  id: number
  comment?: string | undefined
}

interface Pending {
  request: DismissalRequest
  vulnerability: Vulnerability
  user: User
}

/** Returns the changes that a decision makes besides ending the request. */
type Effect = (deps: Deps, pending: Pending) => Promise<ChangedVulnerability | undefined>

/** Dismisses the vulnerability in the name of the user who requested it. */
export function approveRequest(
  deps: Deps,
  project: Project,
  user: User,
  decision: RequestDecision,
): Promise<DismissalRequest> {
  return decide(deps, project, { ...decision, user, state: 'approved' }, async (deps, { request, vulnerability }) => {
    await assertSecondPerson(deps, user, request)
    const requester = { userId: request.requestedById, asAdmin: true }
    if (!(await isStillPermitted(deps, 'vulnerability.dismiss', project, requester))) {
      throw conflict('the user who requested the dismissal may no longer dismiss vulnerabilities of this project')
    }
    return dismissAsRequested(deps, request, vulnerability)
  })
}

export function rejectRequest(
  deps: Deps,
  project: Project,
  user: User,
  decision: RequestDecision,
): Promise<DismissalRequest> {
  return decide(deps, project, { ...decision, user, state: 'rejected' }, async (deps, { request }) => {
    await assertSecondPerson(deps, user, request)
    return undefined
  })
}

/** Ends a request of the user's own. */
export function withdrawRequest(
  deps: Deps,
  project: Project,
  user: User,
  decision: RequestDecision,
): Promise<DismissalRequest> {
  return decide(deps, project, { ...decision, user, state: 'withdrawn' }, async (deps, { request }) => {
    if (request.requestedById !== personOf(deps, user.id))
      throw forbidden('only the user who requested a dismissal can withdraw it')
    return undefined
  })
}

/**
 * Bots do not count as a second person, nor does anyone who created or rotated the token of the request. The requester
 * cannot decide with a token that they created for another user either.
 */
async function assertSecondPerson(deps: Deps, user: User, request: DismissalRequest): Promise<void> {
  if (user.isBot) throw forbidden('access tokens of projects and groups cannot decide about dismissals')
  if (deps.actor?.token?.kind === 'impersonation') {
    throw forbidden('impersonation tokens cannot decide about dismissals')
  }
  const { requestedById, involvedIds } = request
  const requester = requestedById === null ? undefined : await findUserById(deps.db, requestedById)
  // A bot may have got another token since.
  const ofBot = requester ? await listPersonsOfBot(deps, requester) : []
  const involved = [requestedById, ...(involvedIds ?? []), ...ofBot]
  const isInvolved = involved.includes(user.id) || involved.includes(personOf(deps, user.id))
  if (isInvolved || (await listTokenIssuers(deps)).some((id) => id === requestedById)) {
    throw forbidden('a second person must decide about a dismissal')
  }
}

type UserDecision = RequestDecision & { user: User; state: 'approved' | 'rejected' | 'withdrawn' }

function decide(
  deps: Deps,
  project: Project,
  { id, comment, user, state }: UserDecision,
  effect: Effect,
): Promise<DismissalRequest> {
  assertComment(comment)
  return projectTransaction(deps, project.id, async (deps) => {
    const now = deps.now()
    const { vulnerabilityId } = await getRequest(deps, project, id)
    // Every change locks the vulnerability first.
    const [vulnerability] = await lockVulnerabilities(deps.db, project.id, [vulnerabilityId])
    const request = await getRequest(deps, project, id)
    if (!vulnerability) throw notFound()
    if (request.state !== 'pending') throw conflict(`the request is ${request.state} already`)
    if (request.expiresAt <= now) throw conflict('the request has expired')
    const change = await effect(deps, { request, vulnerability, user })
    const decision: Decision = { state, userId: user.id, comment: comment ?? null, now }
    const entry: HistoryEntry = {
      vulnerabilityId,
      kind: `dismissal_${state}`,
      userId: user.id,
      comment,
      details: { dismissal_request_id: id, requested_by_id: request.requestedById },
    }
    await endRequest(deps, project, { request, vulnerability, decision, entry, change })
    await recordDecided(deps, project, request, `vulnerability_dismissal_${state}`)
    return getRequest(deps, project, id)
  })
}

interface EndedRequest {
  request: Pick<DismissalRequest, 'id'>
  vulnerability: Vulnerability
  decision: Decision
  entry: HistoryEntry
  change?: ChangedVulnerability | undefined
}

/** Stores a decision with its history. Of concurrent decisions one succeeds. */
export async function endRequest(
  deps: Deps,
  project: Project,
  { request, vulnerability: before, decision, entry, change }: EndedRequest,
): Promise<void> {
  if (!(await decideRequest(deps.db, request.id, decision))) throw conflict('the request was decided meanwhile')
  const { now } = decision
  const without = { dismissalRequestId: null, updatedAt: now }
  if (!change) return saveChanges(deps, project.id, [{ before, after: { ...before, ...without }, entry }], now)
  await recordHistory(deps.db, [entry], now)
  const dismissed = { ...change, after: { ...change.after, ...without } }
  await saveChanges(deps, project.id, [dismissed], now)
  await addToFacetCounts(deps.db, project.id, countChanges([dismissed]), now)
}

async function dismissAsRequested(
  deps: Deps,
  request: DismissalRequest,
  before: Vulnerability,
): Promise<ChangedVulnerability> {
  const now = deps.now()
  if (before.state !== request.fromState) {
    throw conflict(`the vulnerability is ${before.state}; it was ${request.fromState} when its dismissal was requested`)
  }
  if (request.dismissedUntil !== null && request.dismissedUntil <= now.slice(0, 10)) {
    throw conflict(`the dismissal was requested until ${request.dismissedUntil}, which has passed`)
  }
  if (request.dismissedUntilFixed && (await listWithFix(deps.db, [before.id])).length > 0) {
    throw conflict('the dismissal was requested until a fix is available, which is so now')
  }
  const change: Dismissal = {
    action: 'dismiss',
    dismissalReason: request.dismissalReason ?? undefined,
    comment: request.comment ?? undefined,
    until: request.statesUntil ? request.dismissedUntil : undefined,
    untilFixed: request.dismissedUntilFixed ?? undefined,
  }
  const context = { userId: request.requestedById, now }
  const after = applyChange(before, change, before.severity, context)
  if (!after) throw conflict('the vulnerability is dismissed in this way already')
  const entry = entryOf({ before, after }, change, context)
  return { before, after, entry: { ...entry, details: { ...entry.details, dismissal_request_id: request.id } } }
}

export function recordDecided(
  deps: Deps,
  project: Project,
  request: Pick<DismissalRequest, 'id' | 'vulnerabilityId' | 'title' | 'requestedBy'>,
  name: AuditEventName & `vulnerability_dismissal_${string}`,
): Promise<void> {
  const done = name.slice('vulnerability_dismissal_'.length)
  return recordAuditEvent(deps, name, {
    entity: projectEntity(project),
    message: `Request for a dismissal: ${done}`,
    target: { type: 'Vulnerability', id: request.vulnerabilityId, name: request.title },
    extra: { dismissal_request_id: request.id, requested_by: request.requestedBy?.username ?? null },
    ...(done === 'expired' && { author: 'system' as const }),
  })
}
