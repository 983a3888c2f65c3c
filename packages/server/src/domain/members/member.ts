import type { Person } from '../users/user.ts'

/** A membership, direct or inherited. */
export interface Member {
  person: Person
  accessLevel: number
  /** Expiry date as YYYY-MM-DD; the membership is invalid from that day on. */
  expiresOn: string | null
  createdAt: string
  updatedAt: string
  createdBy: Person | null
}

/** Places whose memberships a query covers: a project, namespaces, or both. */
export interface MemberSource {
  projectId: number | null
  namespaceIds: readonly number[]
}

export interface MemberFilter {
  search?: string | undefined
  userIds?: readonly number[] | undefined
  exceptUserIds?: readonly number[] | undefined
  minAccessLevel?: number | undefined
}

/** Memberships of a user at this level or above. `today` is YYYY-MM-DD. */
export interface Membership {
  userId: number
  level: number
  today: string
}
