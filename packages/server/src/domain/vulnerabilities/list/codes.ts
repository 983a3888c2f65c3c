import type { VulnerabilitySort } from './filter.ts'
import type { Position } from './list-queries.ts'

/** Positions as numbers, which stand in the order of a list: a million take 8 MB and are soon sorted. */
export interface Code {
  of(position: Position): number
  read(code: number): Position
}

/** All of a list, from the lowest to the highest. */
export interface Codes {
  readonly length: number
  at(index: number): number | undefined
}

/** A severity has three bits, which together with an id fit into the integers that a number holds. */
const severities = 8
const ids = 2 ** 50

const bySeverity = (severityFirst: (severity: number) => number, idFirst: (id: number) => number): Code => ({
  of: ({ severity, id }) => severityFirst(severity) * ids + idFirst(id),
  read: (code) => ({ severity: severityFirst(Math.floor(code / ids)), id: idFirst(code % ids) }),
})

const byId = (idFirst: (id: number) => number): Code => ({
  of: ({ severity, id }) => idFirst(id) * severities + severity,
  read: (code) => ({ severity: code % severities, id: idFirst(Math.floor(code / severities)) }),
})

const same = (value: number) => value
const highest = (value: number) => severities - 1 - value
const newest = (id: number) => ids - 1 - id

export const codes: Record<VulnerabilitySort, Code> = {
  severity_desc: bySeverity(highest, newest),
  severity_asc: bySeverity(same, newest),
  detected_desc: byId(newest),
  detected_asc: byId(same),
}

/** Of findings. */
export const worstAndOldestFirst: Code = bySeverity(highest, same)
