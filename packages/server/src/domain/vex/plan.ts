import type { Deps } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import { selectForApproval } from '../vulnerabilities/approval/request-approval.ts'
import type { Change } from '../vulnerabilities/triage/change.ts'
import type { Candidate } from './candidates.ts'
import type { Matcher } from './match.ts'
import type { VexStatement } from './statement.ts'

/** What a statement does to one vulnerability. */
export interface Effect {
  candidate: Candidate
  /** Absent: the vulnerability stays as it is. */
  change?: Change
  reason: string
  /** True if the dismissal is requested, because it needs approval. */
  isRequested?: true
  /** True if a later decision of a user kept it from being changed. */
  isKept?: true
  /** True if the caller may not triage in the project. */
  isRefused?: true
}

/** A statement with its effects, or the reason why it has none. */
export interface PlannedStatement {
  statement: VexStatement
  effects: Effect[]
  unmatched: string | undefined
}

/**
 * Decides what each statement does. Of several statements about a vulnerability the newest counts. `override` changes what
 * users decided after the statement.
 */
export function planStatements(
  statements: readonly VexStatement[],
  matcher: Matcher,
  override: boolean,
): PlannedStatement[] {
  const newest = new Map<number, VexStatement>()
  const matched = statements.map((statement) => {
    const found = matcher.find(statement)
    if (typeof found === 'string') return { statement, found: [], unmatched: found }
    for (const { id } of found) {
      const other = newest.get(id)
      if (!other || (statement.timestamp ?? '') >= (other.timestamp ?? '')) newest.set(id, statement)
    }
    return { statement, found, unmatched: undefined }
  })
  return matched.map(({ statement, found, unmatched }) => {
    const effects = found.map((candidate) =>
      newest.get(candidate.id) === statement
        ? effectOf(statement, candidate, override)
        : { candidate, reason: 'a newer statement of the document is about it' },
    )
    return { statement, effects, unmatched }
  })
}

/** Marks the dismissals that need approval. Those with a request stay as they are until it is decided. */
export async function markRequests(deps: Deps, projectId: number, planned: readonly PlannedStatement[]): Promise<void> {
  const dismissals = planned.flatMap(({ effects }) => effects.filter(({ change }) => change?.action === 'dismiss'))
  const candidates = dismissals.map(({ candidate }) => ({ vulnerability: candidate, reported: candidate.reported }))
  const { needing } = await selectForApproval(deps, projectId, candidates)
  const held = new Set(needing)
  for (const effect of dismissals) {
    if (!held.has(effect.candidate)) continue
    const { dismissalRequestId } = effect.candidate
    if (dismissalRequestId === null) {
      effect.isRequested = true
      effect.reason += '; the dismissal needs approval'
    } else {
      delete effect.change
      effect.reason = `request ${dismissalRequestId} to dismiss it awaits approval`
    }
  }
}

/** Takes all changes of a project back in which the caller may not triage. */
export function refuseChanges({ fullPath }: Pick<Project, 'fullPath'>, planned: readonly PlannedStatement[]): void {
  for (const effect of planned.flatMap(({ effects }) => effects)) {
    if (!effect.change) continue
    delete effect.change
    effect.isRefused = true
    effect.reason = `you do not have the right to triage vulnerabilities of ${fullPath}`
  }
}

function effectOf(statement: VexStatement, candidate: Candidate, override: boolean): Effect {
  const { state, decidedAt } = candidate
  const reason = reasonToStay(statement, candidate)
  if (reason !== undefined) return { candidate, reason }
  const isLater = decidedAt !== undefined && (statement.timestamp === undefined || decidedAt > statement.timestamp)
  if (isLater && !override) {
    const reason = `a user set it to ${state} on ${decidedAt.slice(0, 10)}, after this statement`
    return { candidate, reason, isKept: true }
  }
  const change = changeOf(statement)
  return { candidate, ...(change && { change }), reason: `its status is ${statement.status}` }
}

function reasonToStay({ status }: VexStatement, { state, dismissalReason }: Candidate): string | undefined {
  if (status === 'under_investigation') return 'a statement under investigation decides nothing'
  if (status === 'affected' && state === 'dismissed' && dismissalReason === 'acceptable_risk') {
    return 'its risk is accepted, which an affected product does not contradict'
  }
  return state === stateOf[status] ? `it is ${state} already` : undefined
}

const stateOf = { not_affected: 'dismissed', fixed: 'resolved', affected: 'confirmed' } as const

const maxDetail = 2000

function changeOf({ status, dismissalReason, justification, detail, ids }: VexStatement): Change | undefined {
  const words = [status, justification].filter(Boolean).join(', ')
  const comment = [`VEX statement about ${ids[0] ?? 'it'}: ${words}`, detail?.slice(0, maxDetail)]
    .filter(Boolean)
    .join('\n\n')
  switch (status) {
    case 'not_affected':
      return { action: 'dismiss', dismissalReason, comment }
    case 'fixed':
      return { action: 'resolve', comment }
    case 'affected':
      return { action: 'confirm', comment }
    case 'under_investigation':
      return undefined
  }
}
