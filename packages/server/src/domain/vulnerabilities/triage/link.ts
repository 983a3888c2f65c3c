import type { User } from '../../users/user.ts'

/** A link from a vulnerability to an issue in any tracker. */
export interface IssueLink {
  id: number
  vulnerabilityId: number
  linkType: LinkType
  url: string
  title: string
  createdAt: string
  updatedAt: string
  /** Null if the user has been deleted. */
  author: Pick<User, 'id' | 'username' | 'name' | 'state'> | null
}

export type LinkType = (typeof linkTypes)[number]

export const linkTypes = ['related', 'created'] as const
