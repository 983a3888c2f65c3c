import type { DismissalReason, Severity, State } from '../../findings/scales.ts'
import type { Person } from '../../users/user.ts'

export const requestStates = ['pending', 'approved', 'rejected', 'withdrawn', 'expired'] as const

/** A dismissal that awaits, or awaited, the approval of a second person. */
export interface DismissalRequest {
  id: number
  projectId: number
  vulnerabilityId: number
  requestedById: number | null
  /** Users who may be behind the request, through a token that they created or rotated. Null: not recorded. */
  involvedIds: readonly number[] | null
  /** Bulk change that made the request. */
  bulkId: number | null
  /** State of the vulnerability when the dismissal was requested. */
  fromState: State
  dismissalReason: DismissalReason | null
  comment: string | null
  /** True: the request states `dismissedUntil`, which may be null. */
  statesUntil: boolean
  dismissedUntil: string | null
  /** Null: the request does not state it. */
  dismissedUntilFixed: boolean | null
  state: (typeof requestStates)[number]
  createdAt: string
  expiresAt: string
  decidedAt: string | null
  decidedById: number | null
  decisionComment: string | null
  title: string
  severity: Severity
  requestedBy: Person | null
  decidedBy: Person | null
}
