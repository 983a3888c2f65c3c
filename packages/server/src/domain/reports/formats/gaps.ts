import type { ReportType } from '../../findings/scales.ts'

/** Scope of the findings that a report does not cover. An absent field matches every value. */
export interface GapScope {
  /** External id of the scanner. */
  scanner?: string | undefined
  reportType?: ReportType | undefined
  file?: string | undefined
  /** Fingerprint of the primary identifier. */
  identifier?: string | undefined
  /** Id of an import; matches findings that were last observed before it. */
  since?: number | undefined
}

/** A part of the scan that the report does not cover. Its findings keep their state even if the report lacks them. */
export interface Gap extends GapScope {
  /** A clause, such as `an entry cannot be read`. */
  reason: string
  /** JSON pointer of the first place with this gap. */
  pointer: string
  /** Number of places with the same scope and reason. */
  count: number
}

export interface Gaps {
  add: (scope: GapScope, reason: string, pointer: string) => void
  all: () => Gap[]
}

/** Maximum number of distinct gaps. Beyond it, the report covers nothing. */
const maxGaps = 1000

/** Collects gaps and groups those of the same scope and reason. */
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

/** Returns the gaps that apply to a report type and to any of the scanners, which cover the same findings. */
export const gapsOf = (gaps: readonly Gap[], scanners: readonly string[], reportType: string): Gap[] =>
  gaps.filter(
    (gap) =>
      (gap.scanner === undefined || scanners.includes(gap.scanner)) &&
      (gap.reportType === undefined || gap.reportType === reportType),
  )

/** Returns true if the gap applies to every finding of its scanner and type. */
export const isTotal = ({ file, identifier, since }: Gap): boolean =>
  file === undefined && identifier === undefined && since === undefined

/** Returns true if the gap applies to a finding of its scanner and type. */
export const covers = (
  gap: Gap,
  finding: { place: string | null; identifier: string; lastImportId: number | null },
): boolean =>
  (gap.since === undefined || (finding.lastImportId ?? 0) < gap.since) &&
  (gap.file === undefined || gap.file === finding.place) &&
  (gap.identifier === undefined || gap.identifier === finding.identifier)

/** Describes a gap to the sender of the report. */
export function describeGap({ scanner, reportType, file, reason, count }: Gap): string {
  const what = [scanner && `of ${scanner}`, reportType && `of type ${reportType}`, file && `in ${file}`]
  const findings = ['findings', ...what.filter(Boolean)].join(' ')
  const times = count === 1 ? '' : ` (${count} times; the first is named)`
  return `The report is incomplete: ${reason}${times}. Missing ${findings} keep their state.`
}
