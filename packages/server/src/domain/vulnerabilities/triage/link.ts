import type { User } from '../../users/user.ts'

/** From a vulnerability to an issue in whatever tracker. */
export interface IssueLink {
  id: number
  vulnerabilityId: number
  linkType: LinkType
  url: string
  title: string
  createdAt: string
  updatedAt: string
  /** Null when the user is gone. */
  author: Pick<User, 'id' | 'username' | 'name' | 'state'> | null
}

export type LinkType = (typeof linkTypes)[number]

export const linkTypes = ['related', 'created'] as const
