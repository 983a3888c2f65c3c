import type { Project } from '../../projects/project.ts'
import type { Change } from '../triage/change.ts'

/** A change of vulnerabilities of many projects, as it is stored. */
export interface StoredScopeChange {
  id: number
  /** Group whose vulnerabilities were selected; null for the instance. */
  namespaceId: number | null
  userId: number | null
  asAdmin: boolean
  change: Change
  state: 'running' | 'done' | 'failed' | 'undoing' | 'undone'
  /** Number of selected vulnerabilities of projects in which the user could triage. */
  total: number
  error: string | null
  createdAt: string
  undoneAt: string | null
  undoneById: number | null
}

/** The effect on one project. */
export interface ProjectChange {
  project: Project
  /** Null in a dry run. */
  bulkId: number | null
  changed: number
  /** Number of dismissals that await approval. */
  requested: number
  unchanged: number
  undoneAt: string | null
  restored: number | null
  /** Number of requests for dismissals that the undo withdrew. */
  withdrawn: number | null
}

/** A project in which the user may not triage. */
interface SkippedProject {
  project: Project
  /** Number of selected vulnerabilities. */
  total: number
}

/** A change with its effects. Only projects that the user may still read are listed. */
export interface ScopeChange extends Omit<StoredScopeChange, 'id' | 'change' | 'asAdmin'> {
  /** Null in a dry run. */
  id: number | null
  action: Change['action']
  changed: number
  /** Number of dismissals that await approval. */
  requested: number
  unchanged: number
  restored: number | null
  /** Number of requests for dismissals that the undo withdrew. */
  withdrawn: number | null
  /** Number of vulnerabilities that a dismissal in a group would change there; null for other changes and after them. */
  inGroup: number | null
  projects: ProjectChange[]
  skipped: SkippedProject[]
}
