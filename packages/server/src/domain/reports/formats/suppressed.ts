import type { DismissalReason } from '../../findings/scales.ts'
import { type FindingDraft, finishFinding } from './draft.ts'
import { textOf } from './fields/json-fields.ts'
import { shorten } from './fields/shorten.ts'
import type { ReportFinding, SkippedFinding } from './report.ts'
import type { OpenOptions } from './report-format.ts'

/** A suppressed entry as a format reads it. */
export interface SuppressedEntry {
  draft: FindingDraft
  /** Where it is suppressed; one of `places` or of the same form. */
  source: string
  justification?: unknown
  reason?: DismissalReason | undefined
  /** Times of which the first one ends the suppression. Null or absent: it has no end. */
  ends?: readonly unknown[]
}

/** Where entries are suppressed, as the comment of a dismissal states it. */
export const places = {
  inSource: 'in the source',
  outside: 'outside the source',
  byConfiguration: 'by the scanner’s configuration',
  byVex: 'by a VEX document',
} as const

const maxJustification = 2000

/**
 * Returns a suppressed entry as a finding with its suppression, or as skipped: if the import does not read suppressed
 * entries, or if the entry or its end cannot be read.
 */
export function readSuppressed(
  pointer: string,
  reason: string,
  options: OpenOptions,
  read: () => SuppressedEntry | undefined,
): ReportFinding | SkippedFinding {
  const skipped = { pointer, reason, isSettled: true } as const
  if (!options.readsSuppressed) return { ...skipped, isSuppressed: true }
  const entry = read()
  const days = (entry?.ends ?? []).flatMap((end) => (end === undefined || end === null ? [] : [dayOf(end)]))
  if (!entry || entry.draft.doubt !== undefined || days.includes(undefined)) return skipped
  const made = finishFinding(entry.draft, pointer, options)
  if (!('uuid' in made)) return skipped
  const justification = textOf(entry.justification)?.trim()
  const suppression = {
    source: entry.source,
    justification: justification ? shorten(justification, maxJustification) : null,
    reason: entry.reason ?? null,
    until: days.filter((day) => day !== undefined).sort()[0] ?? null,
  }
  return { ...made, suppression }
}

/** Returns the day of a date or time, or undefined if it is none. */
function dayOf(end: unknown): string | undefined {
  const day = /^(\d{4}-\d\d-\d\d)(?:$|[T ])/.exec(textOf(end)?.trim() ?? '')?.[1]
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === day ? day : undefined
}
