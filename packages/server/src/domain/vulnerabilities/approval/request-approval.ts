import type { Deps } from '../../deps.ts'
import type { Severity } from '../../findings/scales.ts'
import { getUser } from '../../users/users.ts'
import { type Dismissal, describeRequestedEnd } from '../triage/change.ts'
import type { HistoryEntry } from '../triage/history/history-entry.ts'
import type { Vulnerability } from '../vulnerability.ts'
import { isCovered } from './approval-rule.ts'
import { findEffectiveRule } from './approval-rules.ts'
import { insertRequests } from './dismissal-request-queries.ts'
import { listPersonsBehind, personOf } from './persons.ts'

const dayMs = 24 * 60 * 60 * 1000

/** A vulnerability with the severity of its scanner. */
export interface Candidate<V extends Pick<Vulnerability, 'severity' | 'dismissalRequestId'>> {
  vulnerability: V
  reported: Severity
}

/**
 * Returns the vulnerabilities whose dismissal needs approval, and the days until a request expires. A request that was
 * made under an earlier rule or severity must be decided first.
 */
export async function selectForApproval<V extends Pick<Vulnerability, 'severity' | 'dismissalRequestId'>>(
  deps: Deps,
  projectId: number,
  candidates: readonly Candidate<V>[],
): Promise<{ needing: V[]; expiresInDays: number }> {
  const rule = await findEffectiveRule(deps, projectId)
  // The scanner's severity counts as well, because those who dismiss can also lower the severity.
  const needing = candidates.filter(
    ({ vulnerability, reported }) =>
      vulnerability.dismissalRequestId !== null ||
      (rule !== undefined && [vulnerability.severity, reported].some((severity) => isCovered(rule, severity))),
  )
  return { needing: needing.map(({ vulnerability }) => vulnerability), expiresInDays: rule?.expiresInDays ?? 0 }
}

interface RequestContext {
  userId: number
  now: string
  expiresInDays: number
  bulkId?: number | undefined
}

/** Inserts requests to dismiss vulnerabilities, which the caller must have locked, and returns the changes to store. */
export async function requestApproval(
  deps: Deps,
  vulnerabilities: readonly Vulnerability[],
  change: Dismissal,
  { userId, now, expiresInDays, bulkId }: RequestContext,
): Promise<{ before: Vulnerability; after: Vulnerability; entry: HistoryEntry }[]> {
  if (vulnerabilities.length === 0) return []
  const expiresAt = new Date(Date.parse(now) + expiresInDays * dayMs).toISOString()
  const involvedIds = change.involvedIds ?? (await listPersonsBehind(deps, await getUser(deps, userId)))
  const ids = await insertRequests(
    deps.db,
    vulnerabilities.map(({ id, projectId, state }) => ({
      projectId,
      vulnerabilityId: id,
      requestedById: change.requestedById ?? personOf(deps, userId),
      involvedIds,
      bulkId: bulkId ?? null,
      fromState: state,
      dismissalReason: change.dismissalReason ?? null,
      comment: change.comment ?? null,
      statesUntil: change.until !== undefined,
      dismissedUntil: change.until ?? null,
      dismissedUntilFixed: change.untilFixed ?? null,
      createdAt: now,
      expiresAt,
    })),
  )
  return vulnerabilities.map((before) => {
    const requestId = ids.get(before.id)
    if (requestId === undefined) throw new Error('an inserted request returned no id')
    const entry: HistoryEntry = {
      vulnerabilityId: before.id,
      kind: 'dismissal_requested',
      userId,
      comment: change.comment,
      dismissalReason: change.dismissalReason,
      details: { dismissal_request_id: requestId, expires_at: expiresAt, ...describeRequestedEnd(change) },
    }
    return { before, after: { ...before, dismissalRequestId: requestId, updatedAt: now }, entry }
  })
}
