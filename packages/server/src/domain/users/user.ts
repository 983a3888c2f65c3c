export interface User {
  id: number
  username: string
  email: string
  name: string
  /** Banned is blocked for what he did; only lifting the ban lets him in again. */
  state: 'active' | 'banned' | 'blocked' | 'deactivated' | 'unconfirmed'
  isAdmin: boolean
  /** Stands in for deleted users; no one can sign in or act as it. */
  isGhost: boolean
  isExternal: boolean
  canCreateGroup: boolean
  projectsLimit: number
  note: string | null
  createdById: number | null
  createdAt: string
  updatedAt: string
}

/** What administrators are told besides. */
export interface Account extends User {
  namespaceId: number | null
  createdBy: User | undefined
}

/** What a client asks a list of users for. */
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
  createdAfter?: string | undefined
  createdBefore?: string | undefined
}

/** What rows are chosen by. */
export interface UserFilter {
  username?: string | undefined
  /** Every term in the name, or every term in the username; without terms the text is the whole of it. */
  search?: { text: string; terms: readonly string[]; isEmailSearched: boolean } | undefined
  states?: readonly User['state'][] | undefined
  isAdmin?: boolean | undefined
  isExternal?: boolean | undefined
  createdAfter?: string | undefined
  createdBefore?: string | undefined
}

export interface UserOrder {
  by: 'id' | 'name' | 'username' | 'created_at' | 'updated_at'
  direction: 'asc' | 'desc'
}
