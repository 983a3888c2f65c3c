import type { Visibility } from '../access/roles.ts'

/** A group, or a user's own namespace. */
export interface Namespace {
  id: number
  organizationId: number
  kind: 'user' | 'group'
  name: string
  path: string
  fullPath: string
  /** Names from the root down, joined with ` / `. */
  fullName: string
  description: string
  visibility: Visibility
  parentId: number | null
  ownerId: number | null
  /** Ids from the root to the parent, each followed by a slash: `1/5/`. */
  lineage: string
  createdAt: string
  updatedAt: string
}

export interface Project {
  id: number
  organizationId: number
  namespace: Namespace
  creatorId: number | null
  name: string
  path: string
  fullPath: string
  description: string | null
  visibility: Visibility
  defaultBranch: string
  isArchived: boolean
  starCount: number
  enforceAuthChecksOnUploads: boolean
  promoteOnIngestion: boolean
  /** What its scanner no longer reports on the default branch is resolved, not only marked. */
  autoResolve: boolean
  /** Null: what the server allows. */
  maxUploadBytes: number | null
  /** Null: as much as there is room for. */
  uploadQuotaBytes: number | null
  createdAt: string
  updatedAt: string
  lastActivityAt: string
}

const reach: Record<Visibility, number> = { private: 0, internal: 1, public: 2 }

/** Whether something of the first visibility is seen by more people than something of the second. */
export function isWider(visibility: Visibility, than: Visibility): boolean {
  return reach[visibility] > reach[than]
}

/** The namespace's own id and those above it: where memberships are inherited from. */
export function lineageOf(namespace: Pick<Namespace, 'id' | 'lineage'>): number[] {
  return [...namespace.lineage.split('/').filter(Boolean).map(Number), namespace.id]
}

/** What is below a namespace has a lineage in this range: from the first inclusive to the second exclusive. */
export function lineageRange(namespace: Pick<Namespace, 'id' | 'lineage'>): [from: string, to: string] {
  const start = `${namespace.lineage}${namespace.id}`
  return [`${start}/`, `${start}0`] // in the order of bytes 0 is what follows the slash
}
