import type { CustomAttributeFilter } from '../custom-attributes/custom-attribute.ts'

export interface User {
  id: number
  username: string
  email: string
  name: string
  /** A banned user is blocked, and can only be unblocked by lifting the ban. */
  state: 'active' | 'banned' | 'blocked' | 'deactivated' | 'unconfirmed'
  isAdmin: boolean
  /** The ghost replaces deleted users as an author. It cannot sign in, and no caller can act as it. */
  isGhost: boolean
  /** Account of a project or group instead of a person. It cannot sign in; its tokens and its membership belong to it. */
  isBot: boolean
  /** Has a passkey or one-time codes, which a sign-in with the password also requires. */
  hasSecondFactor: boolean
  isExternal: boolean
  canCreateGroup: boolean
  projectsLimit: number
  note: string | null
  avatarFilename: string | null
  createdById: number | null
  createdAt: string
  updatedAt: string
}

/** User with the details that only administrators see. */
export interface Account extends User {
  namespaceId: number | null
  createdBy: User | undefined
}

/** Query parameters of the list of users. */
export interface UserQuery {
  username?: string | undefined
  search?: string | undefined
  active?: boolean | undefined
  blocked?: boolean | undefined
  banned?: boolean | undefined
  deactivated?: boolean | undefined
  external?: boolean | undefined
  admins?: boolean | undefined
  excludeActive?: boolean | undefined
  excludeExternal?: boolean | undefined
  isBot?: boolean | undefined
  hasSecondFactor?: boolean | undefined
  createdAfter?: string | undefined
  createdBefore?: string | undefined
  customAttributes?: CustomAttributeFilter | undefined
}

/** Conditions of the list of users. */
export interface UserFilter {
  username?: string | undefined
  /** Matches when all terms occur in the name, or all in the username. Without terms, `text` must equal one of them. */
  search?: { text: string; terms: readonly string[]; isEmailSearched: boolean } | undefined
  states?: readonly User['state'][] | undefined
  isAdmin?: boolean | undefined
  isExternal?: boolean | undefined
  isBot?: boolean | undefined
  hasSecondFactor?: boolean | undefined
  createdAfter?: string | undefined
  createdBefore?: string | undefined
  customAttributes?: CustomAttributeFilter | undefined
}

export interface UserOrder {
  by: 'id' | 'name' | 'username' | 'created_at' | 'updated_at'
  direction: 'asc' | 'desc'
}

/** Attributes of a user that any caller may read. */
export type Person = Pick<User, 'id' | 'username' | 'name' | 'state' | 'avatarFilename'>
