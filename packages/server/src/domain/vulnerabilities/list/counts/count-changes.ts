import type { Vulnerability } from '../../vulnerability.ts'
import type { CountChange } from './count-change-queries.ts'

/** Returns the changes of the facet counts for vulnerabilities before and after a change. */
export function countChanges(changed: readonly { before: Vulnerability; after: Vulnerability }[]): CountChange[] {
  return changed.flatMap(({ before, after }) => [countOf(before, -1), countOf(after, 1)])
}

function countOf(vulnerability: Vulnerability, total: 1 | -1): CountChange {
  const { isOnDefaultBranch, severity, state, reportType, scannerId } = vulnerability
  const { isResolvedOnDefaultBranch, dismissalReason, resolvedAt, createdAt } = vulnerability
  const took = state === 'resolved' && resolvedAt !== null ? secondsOf(resolvedAt) - secondsOf(createdAt) : 0
  return {
    isOnDefaultBranch,
    severity,
    state,
    reportType,
    scannerId,
    isResolvedOnDefaultBranch,
    dismissalReason,
    total,
    seconds: total * took,
  }
}

/** Whole seconds since 1970, rounded like in the databases. */
const secondsOf = (time: string) => Math.floor(Date.parse(time) / 1000)
