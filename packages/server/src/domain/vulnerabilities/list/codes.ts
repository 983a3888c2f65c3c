import type { VulnerabilitySort } from './filter.ts'
import type { Position } from './list-queries.ts'

/** Encodes positions as numbers whose order is that of the list. A million take 8 MB and sort quickly. */
export interface Code {
  of(position: Position): number
  read(code: number): Position
}

/** A sorted list of keys. */
export interface Codes {
  readonly length: number
  at(index: number): number | undefined
}

/**
 * Number of severity values. Together with an id, the 3 bits fit into the integers that a number represents exactly.
 */
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

/** Sort key of the list of findings. */
export const worstAndOldestFirst: Code = bySeverity(highest, same)
