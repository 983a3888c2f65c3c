import { invalid } from '../../../../platform/failure.ts'
import type { Vulnerability } from '../../vulnerability.ts'

/** When a dismissal is to end: on a day, when a fix becomes available, or at the first of both. */
export interface DismissalEnd {
  /** Null removes the day. Absent: an existing dismissal keeps its day. */
  until?: string | null | undefined
  /** Absent: as an existing dismissal has it. */
  untilFixed?: boolean | undefined
}

/** Maximum number of years until a dismissal ends. Later dates are more likely typing errors. */
const maxYears = 5

/** What a change says of an end. Only dismissals have one. */
type Ending = DismissalEnd & { action: string }

/** Rejects a day that is not in the future, or too far in it. */
export function assertEnd(change: Ending, now: string): void {
  if (change.action !== 'dismiss' || typeof change.until !== 'string') return
  const latest = `${Number(now.slice(0, 4)) + maxYears}${now.slice(4, 10)}`
  if (change.until <= now.slice(0, 10)) throw invalid({ until: ['must be a date in the future'] })
  if (change.until > latest) throw invalid({ until: [`cannot be later than ${latest}`] })
}

/** Returns true for dismissals until a fix is available, which are impossible where the latest report describes one. */
export const endsWithFix = (change: Ending): boolean => change.action === 'dismiss' && change.untilFixed === true

export const fixed = () => invalid({ until_fixed: ['cannot be used, because a fix is available already'] })

/** Fields of a vulnerability without an end. */
export const noEnd = { dismissedUntil: null, isDismissedUntilFixed: false }

/** The end of a dismissal as history entries and audit events record it. Empty without an end. */
export function describeEnd({ state, dismissedUntil, isDismissedUntilFixed }: Vulnerability) {
  if (state !== 'dismissed' || (dismissedUntil === null && !isDismissedUntilFixed)) return {}
  return { dismissed_until: dismissedUntil, dismissed_until_fixed: isDismissedUntilFixed }
}
