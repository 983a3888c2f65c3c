import { counted } from '../../../components/format.ts'
import type { Target } from './triage-change.ts'

export function sizeOf(target: Target): string {
  if ('rows' in target) return counted(target.rows.length, 'vulnerability', 'vulnerabilities')
  return target.count === undefined ? 'all matching' : counted(target.count, 'vulnerability', 'vulnerabilities')
}

export function leadOf(target: Target): string {
  if ('filter' in target) return 'Everything in the current filter, including rows out of view. You can undo this.'
  const [only] = target.rows
  return target.rows.length === 1 && only ? only.title : 'Applied to all or none. You can undo this.'
}
