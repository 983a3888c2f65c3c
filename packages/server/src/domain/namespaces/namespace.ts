import type { Visibility } from '../access/roles.ts'

/** Group, or a user's own namespace. */
export interface Namespace {
  id: number
  organizationId: number
  kind: 'user' | 'group'
  name: string
  path: string
  fullPath: string
  /** Names from the root downwards, joined with ` / `. */
  fullName: string
  description: string
  visibility: Visibility
  /** Whether new projects promote findings of their reports. Null inherits from the parent. */
  promoteOnIngestion: boolean | null
  avatarFilename: string | null
  parentId: number | null
  ownerId: number | null
  /** Ids from the root to the parent, each followed by a slash: `1/5/`. */
  lineage: string
  createdAt: string
  updatedAt: string
}

/** Returns the ids of the namespace and its ancestors, from which memberships are inherited. */
export function lineageOf(namespace: Pick<Namespace, 'id' | 'lineage'>): number[] {
  return [...namespace.lineage.split('/').filter(Boolean).map(Number), namespace.id]
}

/** Range of lineages below a namespace: from the first (inclusive) to the second (exclusive). */
export function lineageRange(namespace: Pick<Namespace, 'id' | 'lineage'>): [from: string, to: string] {
  const start = `${namespace.lineage}${namespace.id}`
  return [`${start}/`, `${start}0`] // in byte order, 0 directly follows the slash
}

export interface NamespaceOrder {
  by: 'name' | 'path' | 'id'
  direction: 'asc' | 'desc'
}
