import type { Change } from './change.ts'

/** One change of many vulnerabilities. */
export interface Bulk {
  id: number
  projectId: number
  userId: number | null
  action: Change['action']
  changed: number
  /** Were so already. */
  unchanged: number
  createdAt: string
  undoneAt: string | null
  undoneById: number | null
  /** How many of those changed the undoing restored; the others had been changed again. */
  restored: number | null
}
