import type { Severity } from '../../../findings/scales.ts'

/**
 * The words with which most tools state a severity. Has no `unknown`, so that a CVSS score is used instead. Tools whose words
 * mean something else have a scale of their own.
 */
export const severityWords: ReadonlyMap<string, Severity> = new Map([
  ['critical', 'critical'],
  ['high', 'high'],
  ['moderate', 'medium'],
  ['medium', 'medium'],
  ['low', 'low'],
  ['info', 'info'],
])
