import type { Actor } from '../merges/merge-queries.ts'

export const proposalStates = ['pending', 'approved', 'rejected'] as const
type ProposalState = (typeof proposalStates)[number]

/** Topic that a user asks the administrators to create. */
export interface TopicProposal {
  id: number
  organizationId: number
  name: string
  title: string
  description: string | null
  /** Project that gets the topic when the proposal is approved. */
  projectId: number | null
  state: ProposalState
  /** Null for a deleted user. */
  proposedBy: Actor | null
  createdAt: string
  decidedBy: Actor | null
  decidedAt: string | null
  /** Comment of the administrator who decided. */
  comment: string | null
  /** Topic that the approval created. */
  topicId: number | null
}

export interface ProposalFilter {
  state?: ProposalState | undefined
  proposedById?: number | undefined
}
