import { dismissalReasons, reportTypes, severities } from '../../findings/scales.ts'
import type { RuleAction, RuleDismissal, RuleMatch } from './rule.ts'

/** A rule as requests and files state it. The assignee is a username. */
export interface ReadRule {
  name: string
  isEnabled: boolean
  match: RuleMatch
  action: Omit<RuleAction, 'assigneeId'>
  assignee: string | undefined
}

/** What is wrong with a value, and where: names and indexes from the outermost. */
export interface RuleProblem {
  path: readonly (string | number)[]
  message: string
}

/** Collects problems, so that a response names all of them. */
type Report = (path: RuleProblem['path'], message: string) => void
type Reader<T> = (value: unknown, path: RuleProblem['path'], report: Report) => T | undefined

/** Reads a rule: an object with `name`, `match`, `action` and `enabled`. */
export function readRule(value: unknown, path: RuleProblem['path'], report: Report): ReadRule | undefined {
  const fields = readObject(value, ['name', 'enabled', 'match', 'action'], { path, report })
  if (!fields) return undefined
  const name = readText(fields['name'], [...path, 'name'], report)
  const isEnabled = fields['enabled'] === undefined ? true : readFlag(fields['enabled'], [...path, 'enabled'], report)
  const match = readMatch(fields['match'], [...path, 'match'], report)
  const read = readAction(fields['action'], [...path, 'action'], report)
  if (name === undefined || isEnabled === undefined || !match || !read) return undefined
  return { name, isEnabled, match, ...read }
}

/** Reads the conditions of a rule. */
export function readMatch(value: unknown, path: RuleProblem['path'], report: Report): RuleMatch | undefined {
  const names = Object.keys(conditions)
  const fields = readObject(value, names, { path, report })
  if (!fields) return undefined
  const match: Record<string, unknown> = {}
  for (const [name, { field, read }] of Object.entries(conditions)) {
    if (fields[name] !== undefined) match[field] = read(fields[name], [...path, name], report)
  }
  const read = match as RuleMatch // each field by the reader of its type
  if (lengthOf(Object.values(read)) > maxMatch) report(path, `may have up to ${maxMatch} characters`)
  if (lengthOf([read.paths, read.refs]) > maxGlobs)
    report(path, `may have up to ${maxGlobs} characters in path and ref`)
  return read
}

const maxMatch = 100_000
/** Lower, because globs are matched character by character. */
const maxGlobs = 10_000

/** Returns the number of characters of lists of texts. */
const lengthOf = (all: readonly unknown[]): number =>
  all.reduce<number>((sum, one) => sum + (Array.isArray(one) ? one.join('').length : 0), 0)

/** Reads the effects of a rule. */
export function readAction(
  value: unknown,
  path: RuleProblem['path'],
  report: Report,
): Pick<ReadRule, 'action' | 'assignee'> | undefined {
  const names = ['dismiss', 'severity', 'assignee', 'tags', 'due_in_days', 'due_on', 'hold']
  const fields = readObject(value, names, { path, report })
  if (!fields) return undefined
  const read = <T>(name: string, reader: Reader<T>): T | undefined =>
    fields[name] === undefined ? undefined : reader(fields[name], [...path, name], report)
  const action = {
    dismiss: read('dismiss', readDismissal),
    severity: read('severity', oneOf(severities)),
    dueInDays: read('due_in_days', readCount),
    dueOn: read('due_on', readDay),
    tags: read('tags', readTexts),
    hold: read('hold', readFlag),
  }
  const given = Object.entries(action).filter(([, part]) => part !== undefined)
  return { action: Object.fromEntries(given), assignee: read('assignee', readText) }
}

const readDismissal: Reader<RuleDismissal> = (value, path, report) => {
  const fields = readObject(value, ['reason', 'comment', 'until', 'until_fixed'], { path, report })
  if (!fields) return undefined
  const read = <T>(name: string, reader: Reader<T>): T | undefined =>
    fields[name] === undefined ? undefined : reader(fields[name], [...path, name], report)
  const dismissal = {
    reason: read('reason', oneOf(dismissalReasons)),
    comment: read('comment', readText),
    until: read('until', readDay),
    untilFixed: read('until_fixed', readFlag),
  }
  return Object.fromEntries(Object.entries(dismissal).filter(([, part]) => part !== undefined))
}

function readObject(
  value: unknown,
  names: readonly string[],
  { path, report }: { path: RuleProblem['path']; report: Report },
): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    report(path, value === undefined ? 'is missing' : 'must be an object')
    return undefined
  }
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) report([...path, name], `is not known; there are ${names.join(', ')}`)
  }
  const fields: Record<string, unknown> = { ...value }
  // A client that reads a rule and sends it back has null for what is not set.
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== null))
}

const readText: Reader<string> = (value, path, report) => {
  if (typeof value === 'string' && value.trim() !== '') return value.trim()
  report(path, value === undefined ? 'is missing' : 'must be a text that is not blank')
  return undefined
}

const readFlag: Reader<boolean> = (value, path, report) => {
  if (typeof value === 'boolean') return value
  report(path, 'must be true or false')
  return undefined
}

const readCount: Reader<number> = (value, path, report) => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  report(path, 'must be a whole number from 0')
  return undefined
}

const readProbability: Reader<number> = (value, path, report) => {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value
  report(path, 'must be a number from 0 to 1')
  return undefined
}

const readDay: Reader<string> = (value, path, report) => {
  const isDay = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)
  const time = isDay ? Date.parse(value) : Number.NaN
  if (isDay && !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)) return value
  report(path, 'must be a date such as 2026-12-31')
  return undefined
}

/** One text or a list of texts. */
const readTexts: Reader<string[]> = (value, path, report) => {
  const all: unknown[] = Array.isArray(value) ? value : [value]
  if (all.length === 0) report(path, 'must have a value')
  return all.flatMap((one, index) => readText(one, Array.isArray(value) ? [...path, index] : path, report) ?? [])
}

const oneOf =
  <const T extends string>(values: readonly T[]): Reader<T> =>
  (value, path, report) => {
    const found = values.find((one) => one === value)
    if (found === undefined) report(path, `must be one of ${values.join(', ')}`)
    return found
  }

const someOf =
  <const T extends string>(values: readonly T[]): Reader<T[]> =>
  (value, path, report) => {
    const all: unknown[] = Array.isArray(value) ? value : [value]
    if (all.length === 0) report(path, 'must have a value')
    const read = oneOf(values)
    return all.flatMap((one, index) => read(one, Array.isArray(value) ? [...path, index] : path, report) ?? [])
  }

/** The conditions by their names, in the order in which they are shown. */
const conditions: Readonly<Record<string, { field: keyof RuleMatch; read: Reader<unknown> }>> = {
  path: { field: 'paths', read: readTexts },
  identifier: { field: 'identifiers', read: readTexts },
  package: { field: 'packages', read: readTexts },
  version_range: { field: 'versionRange', read: readText },
  scanner: { field: 'scanners', read: readTexts },
  rule_id: { field: 'ruleIds', read: readTexts },
  severity: { field: 'severities', read: someOf(severities) },
  category: { field: 'reportTypes', read: someOf([...reportTypes, 'generic']) },
  ref: { field: 'refs', read: readTexts },
  min_age_days: { field: 'minAgeDays', read: readCount },
  min_epss: { field: 'minEpss', read: readProbability },
  kev: { field: 'isKev', read: readFlag },
  has_fix: { field: 'hasFix', read: readFlag },
}

/** Returns the conditions by the names that requests and files use. */
export const conditionsOf = (match: RuleMatch): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(conditions).flatMap(([name, { field }]) =>
      match[field] === undefined ? [] : [[name, match[field]]],
    ),
  )
