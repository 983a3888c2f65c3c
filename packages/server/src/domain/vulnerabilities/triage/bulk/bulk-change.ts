import type { Change } from '../change.ts'

/** One change of many vulnerabilities. */
export interface Bulk {
  id: number
  projectId: number
  userId: number | null
  action: Change['action']
  changed: number
  /** Number of dismissals that await approval. */
  requested: number
  /** Number of vulnerabilities that were in the requested state already. */
  unchanged: number
  createdAt: string
  undoneAt: string | null
  undoneById: number | null
  /** Number of vulnerabilities that the undo restored; the others had changed again. Null before the undo. */
  restored: number | null
  /** Number of requests for dismissals that the undo withdrew. Null before the undo. */
  withdrawn: number | null
  /** The change of many projects that this one is a part of. */
  scopeChangeId: number | null
}
