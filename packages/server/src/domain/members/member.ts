import type { User } from '../users/user.ts'

/** What of a user may be shown to anybody. */
export type Person = Pick<User, 'id' | 'username' | 'name' | 'state'>

/** A membership, direct or inherited. */
export interface Member {
  person: Person
  accessLevel: number
  /** YYYY-MM-DD; over from that day on. */
  expiresOn: string | null
  createdAt: string
  updatedAt: string
  createdBy: Person | null
}

/** Where memberships are counted: in a project, in namespaces, or in both. */
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
