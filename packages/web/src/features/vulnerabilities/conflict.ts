import { RequestFailed, type StateConflict } from '@alcove/client'
import { stateInWords } from '../../components/badge.tsx'
import { counted, formatAgo } from '../../components/format.ts'
import type { VulnerabilityRow } from './owner.ts'

/** Vulnerabilities that others have changed since they were shown; nothing was changed because of them. */
export interface Conflict {
  text: string
  /** True: all of them are in the wanted state already. */
  isDone: boolean
  /** The same rows with their current states, to go on with. */
  rows: readonly VulnerabilityRow[]
}

/** Returns undefined for an error of another kind. */
export function conflictFrom(error: unknown, rows: readonly VulnerabilityRow[], wanted: string): Conflict | undefined {
  if (!(error instanceof RequestFailed) || error.conflicts.length === 0) return undefined
  const { conflicts, conflictCount } = error
  const states = new Map(conflicts.map(({ id, state }) => [id, state]))
  // Where the server describes only some of them, the others go on without a state that they are compared with.
  const isComplete = conflictCount === conflicts.length
  return {
    text: conflictInWords(conflicts, conflictCount, rows),
    isDone: isComplete && conflictCount === rows.length && conflicts.every(({ state }) => state === wanted),
    rows: rows.map((row) => {
      const state = states.get(row.id) ?? row.state
      return { ...row, state, isUnchecked: !isComplete }
    }),
  }
}

function conflictInWords(
  conflicts: readonly StateConflict[],
  count: number,
  rows: readonly VulnerabilityRow[],
): string {
  const [first] = conflicts
  if (count === 1 && first) {
    const title = rows.find(({ id }) => id === first.id)?.title ?? `Vulnerability ${first.id}`
    return `${title}: ${changeInWords(first)}.`
  }
  const changes = new Map<string, number>()
  for (const { state, changed_by: by } of conflicts) {
    const change = `${verbs[state]}${by ? ` by ${by.name}` : ''}`
    changes.set(change, (changes.get(change) ?? 0) + 1)
  }
  const parts = [...changes].map(([change, number]) => `${number} ${change}`)
  if (count > conflicts.length) parts.push(`${count - conflicts.length} more`)
  return `${counted(count, 'vulnerability has', 'vulnerabilities have')} changed since this list was loaded: ${parts.join(', ')}.`
}

/** `dismissed by Nadia 2 minutes ago`. */
export function changeInWords({ state, changed_by: by, changed_at: at }: StateConflict): string {
  return [verbs[state] ?? stateInWords(state), by && `by ${by.name}`, at && formatAgo(at)].filter(Boolean).join(' ')
}

const verbs: Readonly<Record<string, string>> = {
  detected: 'reopened',
  confirmed: 'confirmed',
  resolved: 'resolved',
  dismissed: 'dismissed',
}
