import type { RuleDraft, RuleMatch } from '../../rules/rule.ts'
import { isVersionRange } from '../../rules/version-range.ts'
import { type FileWarning, InvalidProjectFile } from '../project-file.ts'

/** The rules that a file states, and the entries that no rule can express. */
export interface ParsedRules {
  rules: RuleDraft[]
  warnings: FileWarning[]
}

/** Maximum number of rules of a file. With those of an `alcove.yml`, a project has no more than `replaceFileRules` permits. */
const maxRules = 100
const maxWarnings = 100

/** An entry of a file that dismisses what it matches. */
export interface IgnoredEntry {
  line: number
  /** Name of the entry, such as the identifier. */
  title: string
  match: RuleMatch
  comment?: string | undefined
  until?: string | undefined
}

/** Collects the entries of a file. */
export function openRules(file: string) {
  const parsed: ParsedRules = { rules: [], warnings: [] }
  const add = (line: number, rule: RuleDraft) => {
    if (parsed.rules.length >= maxRules) throw new InvalidProjectFile(line, `there are more than ${maxRules} rules`)
    parsed.rules.push(rule)
  }
  return {
    parsed,
    add,
    ignore({ line, title, match, comment, until }: IgnoredEntry): undefined {
      const dismiss = { ...(comment && { comment: comment.slice(0, maxComment) }), ...(until && { until }) }
      add(line, {
        name: `${file}, line ${line}: ${title}`.slice(0, maxName),
        isEnabled: true,
        match,
        action: { dismiss },
      })
    },
    warn(line: number, message: string): undefined {
      if (parsed.warnings.length < maxWarnings) parsed.warnings.push({ line, message: message.slice(0, maxMessage) })
    },
  }
}
export type Rules = ReturnType<typeof openRules>

const maxName = 255
const maxComment = 10_000
const maxMessage = 500
const maxText = 1_000

/** Returns the day (UTC) of a date or time as ISO 8601 writes it. Throws for anything else: it must not last forever. */
export function dayOf(value: unknown, line: number, name: string): string | undefined {
  if (value === undefined || value === null) return undefined
  const text = value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : String(value)
  const day = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/.exec(text)?.[0]
  const time = Date.parse(day ?? '')
  if (day === undefined || Number.isNaN(time) || !new Date(time).toISOString().startsWith(day)) {
    throw new InvalidProjectFile(line, `${name} is not a date such as 2026-12-31`)
  }
  return day
}

/** Returns a text, or undefined if there is none. Throws for another type. */
export function textOf(value: unknown, line: number, name: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw new InvalidProjectFile(line, `${name} must be a text`)
  if (value.length > maxText) throw new InvalidProjectFile(line, `${name} has more than ${maxText} characters`)
  return value.trim() === '' ? undefined : value.trim()
}

/** Returns a range that contains exactly this version, or undefined if versions of its kind have no order here. */
export function onlyVersion(version: string): string | undefined {
  const range = `vers:generic/${version}`
  return /^[\w.+-]+$/.test(version) && isVersionRange(range) ? range : undefined
}

/** Returns whether rules read a glob as the scanner does: they have no classes, alternatives, exclusions and escapes. */
export const isPlainGlob = (glob: string): boolean => !/[[\]{}!\\]/.test(glob)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
