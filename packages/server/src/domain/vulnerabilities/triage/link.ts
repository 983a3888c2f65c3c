import type { Person } from '../../users/user.ts'

/** A link from a vulnerability to an issue in any tracker. */
export interface IssueLink {
  id: number
  vulnerabilityId: number
  linkType: LinkType
  url: string
  title: string
  /** Last known state of the issue, where Alcove follows it. */
  state: IssueState
  closedAt: string | null
  createdAt: string
  updatedAt: string
  /** Null if the user has been deleted. */
  author: Person | null
}

export type IssueState = 'opened' | 'closed'

export type LinkType = (typeof linkTypes)[number]

export const linkTypes = ['related', 'created'] as const
