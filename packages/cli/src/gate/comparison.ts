import type { Schemas } from '@alcove/client'
import { counted } from '../counted.ts'
import { type Severity, severities } from '../findings.ts'

/**
 * Findings of a ref beside those of the target ref. `ref` is null when the ref is the target itself. Dismissed findings
 * are in none of the other counts.
 */
export type Comparison = Schemas['RefComparison']

export type FindingKind = 'new' | 'fixed' | 'known'

/** Sums the counts of these severities. */
export function countOf(comparison: Comparison, kind: FindingKind, of: readonly Severity[] = severities): number {
  return of.reduce((sum, severity) => sum + comparison.by_severity[severity][kind], 0)
}

/** Says how many dismissed findings are not counted; nothing if there are none. */
export function dismissedInWords({ dismissed }: Comparison): string[] {
  if (dismissed === 0) return []
  return [`${counted(dismissed, 'dismissed finding is', 'dismissed findings are')} not counted.`]
}
