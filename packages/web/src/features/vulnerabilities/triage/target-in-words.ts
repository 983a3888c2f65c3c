import { counted } from '../../../components/format.ts'
import { isOfFindings, type Target } from './triage-change.ts'

export function sizeOf(target: Target): string {
  const count = 'rows' in target ? target.rows.length : target.count
  if (count === undefined) return 'all matching'
  return isOfFindings(target) ? counted(count, 'finding') : counted(count, 'vulnerability', 'vulnerabilities')
}

export function leadOf(target: Target): string {
  if ('filter' in target) return 'Everything in the current filter, including rows out of view. You can undo this.'
  const [only] = target.rows
  return target.rows.length === 1 && only ? only.title : 'Applied to all or none. You can undo this.'
}
