import { type InvalidAttributes, invalid } from '../../../platform/failure.ts'
import { assertEnd } from '../triage/dismissals/dismissal-end.ts'
import { readTags } from '../triage/tags.ts'
import { patternLength } from './globs.ts'
import type { RuleAction, RuleDraft, RuleMatch } from './rule.ts'
import { isVersionRange } from './version-range.ts'

const maxName = 255
const maxValues = 1_000
const maxText = 1_000
/** Maximum length of the globs with wildcards of one condition. Each finding is compared with all of them. */
const maxPatterns = 10_000
const maxDays = 3_650
const maxComment = 10_000

/** Throws if the rule is not valid. `mayHaveEnded` permits an end in the past, which a file may have for long. */
export function assertRule(
  { name, match, action }: Pick<RuleDraft, 'name' | 'match' | 'action'>,
  now: string,
  { mayHaveEnded = false }: { mayHaveEnded?: boolean } = {},
): void {
  const problems: InvalidAttributes = {
    ...problemsOfName(name),
    ...problemsOfMatch(match),
    ...problemsOfAction(action),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
  if (action.tags) readTags(action.tags)
  if (action.dismiss && !mayHaveEnded) assertEnd({ action: 'dismiss', until: action.dismiss.until }, now)
}

function problemsOfName(name: string): InvalidAttributes {
  if (name.trim() === '') return { name: ["can't be blank"] }
  return [...name].length > maxName ? { name: [`is too long (maximum is ${maxName} characters)`] } : {}
}

function problemsOfMatch(match: RuleMatch): InvalidAttributes {
  const given = Object.values(match).filter((value) => value !== undefined)
  if (given.length === 0) return { match: ['needs at least one condition'] }
  for (const value of given) {
    if (!Array.isArray(value)) continue
    if (value.length === 0) return { match: ['has a condition without values'] }
    if (value.length > maxValues) return { match: [`has a condition with more than ${maxValues} values`] }
    if (value.some((one) => one.trim() === '' || one.length > maxText || one.includes('\0'))) {
      return { match: [`has a value that is blank or longer than ${maxText} characters`] }
    }
  }
  if ([match.paths, match.refs].some((globs) => globs && patternLength(globs) > maxPatterns)) {
    return { match: [`has globs with wildcards that are longer than ${maxPatterns} characters together`] }
  }
  const { versionRange, minAgeDays = 0, minEpss = 0 } = match
  if (versionRange !== undefined && !isVersionRange(versionRange)) {
    return { match: [`version_range is not a range of versions: ${versionRange.slice(0, 100)}`] }
  }
  if (!(minAgeDays >= 0 && minAgeDays <= maxDays)) return { match: [`min_age_days must be from 0 to ${maxDays}`] }
  return minEpss >= 0 && minEpss <= 1 ? {} : { match: ['min_epss must be from 0 to 1'] }
}

function problemsOfAction(action: RuleAction): InvalidAttributes {
  const given = Object.values(action).filter((value) => value !== undefined && value !== false)
  if (given.length === 0) return { action: ['needs at least one effect'] }
  const { dismiss, dueInDays = 0, dueOn } = action
  if ([...(dismiss?.comment ?? '')].length > maxComment) {
    return { action: [`has a comment that is too long (maximum is ${maxComment} characters)`] }
  }
  if (dueOn !== undefined && action.dueInDays !== undefined) {
    return { action: ['can have due_in_days or due_on, not both'] }
  }
  return dueInDays >= 0 && dueInDays <= maxDays ? {} : { action: [`due_in_days must be from 0 to ${maxDays}`] }
}
