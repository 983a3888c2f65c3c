import { texts } from '../texts.ts'
import { isOfFindings, type Target } from './triage-change.ts'

export function sizeOf(target: Target): string {
  const count = 'rows' in target ? target.rows.length : target.count
  if (count === undefined) return texts.allMatching
  return isOfFindings(target) ? texts.finding(count) : texts.vulnerabilitiesCount(count)
}

export function leadOf(target: Target): string {
  if ('filter' in target) return texts.everythingInTheCurrent
  const [only] = target.rows
  return target.rows.length === 1 && only ? only.title : texts.appliedToAllOrNone
}
