import type { Vulnerability } from '../vulnerability.ts'
import type { DueDateRule } from './due-date-policy.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Returns the date, in UTC, a number of days after a time or date. */
const daysAfter = (time: string, days: number): string =>
  new Date(Date.parse(time.slice(0, 10)) + days * dayMs).toISOString().slice(0, 10)

/** Returns the due date that a policy sets, or null without one. */
export function dueOnBy(
  policy: DueDateRule | undefined,
  { severity, createdAt, fixAvailableAt }: Pick<Vulnerability, 'severity' | 'createdAt' | 'fixAvailableAt'>,
): string | null {
  const days = policy?.days[severity] ?? null
  const start = policy?.countedFrom === 'fix' ? fixAvailableAt : createdAt
  return days === null || start === null ? null : daysAfter(start, days)
}

export const isOpen = ({ state }: Pick<Vulnerability, 'state'>): boolean =>
  state === 'detected' || state === 'confirmed'

/** Returns true if the vulnerability is open after the day on which it was due. */
export const isOverdue = (vulnerability: Pick<Vulnerability, 'state' | 'dueOn'>, today: string): boolean =>
  vulnerability.dueOn !== null && vulnerability.dueOn < today && isOpen(vulnerability)
