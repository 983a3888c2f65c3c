import { isObject, listOf, objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import type { Gaps } from '../gaps.ts'
import { identifierFingerprint } from '../identity/fingerprints.ts'
import type { JsonObject } from '../report.ts'
import type { OpenOptions } from '../report-format.ts'

/**
 * Adds the gaps of a report: an error affects everything, a warning affects its file, and skipped files and rules
 * affect themselves. A report without results must list the scanned files, unless its sender declares it complete.
 */
export function addGaps(
  root: JsonObject,
  hasResults: boolean,
  { gaps, isPartial }: Pick<OpenOptions, 'gaps' | 'isPartial'>,
): void {
  const { errors = [], paths = {}, skipped_rules = [] } = root
  if (!Array.isArray(errors)) gaps.add({}, 'its errors cannot be read', '/errors')
  for (const [index, error] of listOf(errors).entries()) addGapOfError(error, `/errors/${index}`, gaps)

  const { scanned, skipped } = objectOf(paths) ?? {}
  if (!hasResults && Array.isArray(scanned) && scanned.length === 0) {
    gaps.add({}, 'no file was scanned', '/paths/scanned')
  }
  if (!hasResults && !Array.isArray(scanned) && isPartial !== false) {
    gaps.add({}, `it has no results and lists no scanned files; ${sendComplete}`, '/paths/scanned')
  }
  for (const [index, { path }] of objectsOf(skipped).entries()) {
    const file = textOf(path)
    if (file) gaps.add({ file }, 'a file was skipped', `/paths/skipped/${index}`)
  }
  for (const [index, { rule_id }] of objectsOf(skipped_rules).entries()) {
    const rule = textOf(rule_id)
    const identifier = rule && identifierFingerprint('semgrep_id', rule)
    gaps.add({ identifier }, 'a rule was skipped', `/skipped_rules/${index}`)
  }
}

const sendComplete = 'send partial=false if this scan is complete'

/** Returns the number of scanned files, if it is readable. A scan against a baseline lists only changed files. */
export function scannedFiles({ paths }: JsonObject): number | null {
  const scanned = objectOf(paths)?.scanned
  return Array.isArray(scanned) ? scanned.length : null
}

function addGapOfError(error: unknown, pointer: string, gaps: Gaps): void {
  const { level, path } = objectOf(error) ?? {}
  const file = textOf(path)
  const isWarning = level === 'warn' || level === 'warning' || level === 'info'
  if (!isWarning) gaps.add({}, 'the scanner reports an error', pointer)
  else if (file && level !== 'info') gaps.add({ file }, 'a file could not be scanned completely', pointer)
}

/** Returns the reason why a result may represent another finding than its uuid says. */
export function doubtOf({ check_id, path, start, end }: JsonObject): string | undefined {
  if (!textOf(check_id)) return 'it names no rule'
  if (!textOf(path)) return 'it names no file'
  const isPlaced = [start, end].every((place) => isObject(place) && typeof place.line === 'number')
  return isPlaced ? undefined : 'its lines cannot be read'
}
