import type { Severity } from '../../findings/scales.ts'
import type { DueDateOwner } from '../../projects/queue-due-dates.ts'

/** Events from which the days of a policy are counted. */
export const countedFrom = ['detection', 'fix'] as const

/** Rule for the due dates of vulnerabilities. */
export interface DueDateRule {
  countedFrom: (typeof countedFrom)[number]
  /** Days until a vulnerability is due. Null: it has no due date. */
  days: Readonly<Record<Severity, number | null>>
}

/** Policy of a project, of a group for the projects below it, or of the instance. The closest one applies. */
export interface DueDatePolicy extends DueDateRule {
  id: number
  level: DueDateOwner['kind']
  projectId: number | null
  namespaceId: number | null
  createdAt: string
  updatedAt: string
}
