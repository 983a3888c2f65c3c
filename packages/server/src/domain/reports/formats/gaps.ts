import type { ReportType } from '../../vulnerabilities/scales.ts'

/** Findings that a report cannot speak for. A field that is absent stands for every value. */
export interface GapScope {
  /** External id. */
  scanner?: string | undefined
  reportType?: ReportType | undefined
  file?: string | undefined
  /** Fingerprint of the primary identifier. */
  identifier?: string | undefined
  /** An import: only what was last seen before it. */
  since?: number | undefined
}

/** Why a report cannot speak for some findings: they keep their state although it does not name them. */
export interface Gap extends GapScope {
  /** A clause, such as `an entry cannot be read`. */
  reason: string
  /** The first place in the report, as a JSON pointer. */
  pointer: string
  /** How many places in the report have the same scope and reason. */
  count: number
}

export interface Gaps {
  add: (scope: GapScope, reason: string, pointer: string) => void
  all: () => Gap[]
}

/** With more distinct gaps than this the report speaks for nothing. */
const maxGaps = 1000

/** Collects gaps; those of one scope and reason are one. */
export function startGaps(): Gaps {
  const gaps = new Map<string, Gap>()
  const add: Gaps['add'] = ({ scanner, reportType, file, identifier, since }, reason, pointer) => {
    const key = JSON.stringify([scanner, reportType, file, identifier, since === undefined, reason])
    const known = gaps.get(key)
    if (known) {
      known.count++
      if (known.since !== undefined && since !== undefined) known.since = Math.max(known.since, since)
    } else if (gaps.size < maxGaps) {
      gaps.set(key, { scanner, reportType, file, identifier, since, reason, pointer, count: 1 })
    } else if (gaps.size === maxGaps) {
      gaps.set('more', { reason: `more than ${maxGaps} parts of it are incomplete`, pointer, count: 1 })
    }
  }
  return { add, all: () => [...gaps.values()] }
}

/** Returns the gaps that concern a scanner, or one of several that speak for the same findings, and a report type. */
export const gapsOf = (gaps: readonly Gap[], scanners: readonly string[], reportType: string): Gap[] =>
  gaps.filter(
    (gap) =>
      (gap.scanner === undefined || scanners.includes(gap.scanner)) &&
      (gap.reportType === undefined || gap.reportType === reportType),
  )

/** Whether a gap leaves out nothing of its scanner and type. */
export const isTotal = ({ file, identifier, since }: Gap): boolean =>
  file === undefined && identifier === undefined && since === undefined

/** Whether a gap covers a finding of its scanner and type. */
export const covers = (
  gap: Gap,
  finding: { place: string | null; identifier: string; lastImportId: number | null },
): boolean =>
  (gap.since === undefined || (finding.lastImportId ?? 0) < gap.since) &&
  (gap.file === undefined || gap.file === finding.place) &&
  (gap.identifier === undefined || gap.identifier === finding.identifier)

/** Describes a gap for the person who sent the report. */
export function describeGap({ scanner, reportType, file, reason, count }: Gap): string {
  const what = [scanner && `of ${scanner}`, reportType && `of type ${reportType}`, file && `in ${file}`]
  const findings = ['findings', ...what.filter(Boolean)].join(' ')
  const times = count === 1 ? '' : ` (${count} times; the first is named)`
  return `The report is incomplete: ${reason}${times}. Missing ${findings} keep their state.`
}
