import type { Person } from '../../users/user.ts'

/** Something that changed the vulnerabilities of a project. */
export type Activity = ImportActivity | TriageActivity

/** Import of a report for the default branch that changed findings. */
export interface ImportActivity {
  kind: 'import'
  projectId: number
  createdAt: string
  importId: number
  ref: string
  scanner: string | null
  new: number
  /** New findings of critical severity. */
  critical: number
  reappeared: number
  absent: number
  /** Absences that await a decision. */
  held: number
}

export type TriageAction = 'confirm' | 'resolve' | 'dismiss' | 'revert'

/** Decisions of one user, which follow each other. */
export interface TriageActivity {
  kind: 'triage'
  projectId: number
  createdAt: string
  author: Person | null
  action: TriageAction
  /** Number of vulnerabilities. */
  total: number
  /** The vulnerability, if there is one only. */
  vulnerability: { id: number; title: string } | null
}

const hourMs = 60 * 60 * 1000

/** Joins decisions of the same kind that follow each other within an hour. Both lists are newest first. */
export function joinDecisions(decisions: readonly TriageActivity[]): TriageActivity[] {
  const joined: TriageActivity[] = []
  for (const decision of decisions) {
    const last = joined.at(-1)
    if (last && isSame(last, decision)) {
      last.total += decision.total
      last.vulnerability = null
    } else joined.push({ ...decision })
  }
  return joined
}

function isSame(one: TriageActivity, other: TriageActivity): boolean {
  return (
    one.projectId === other.projectId &&
    one.action === other.action &&
    one.author?.id === other.author?.id &&
    Date.parse(one.createdAt) - Date.parse(other.createdAt) < hourMs
  )
}
