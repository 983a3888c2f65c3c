/** Numbers of findings of a scanner on the ref that a report covers. */
export interface ScannerTally {
  scanner: string
  /** Present before the report. */
  present: number
  /** Absent after it. */
  absent: number
}

/** Smaller numbers of absences are never held. */
const minHeld = 10

/**
 * Returns the scanner whose absences are implausible: more than the permitted share of its findings, or all of them
 * because the report is empty. A broken rule download or a wrong folder looks like that.
 */
export function findImplausible(
  tallies: readonly ScannerTally[],
  { isEmpty, maxAbsentPercent }: { isEmpty: boolean; maxAbsentPercent: number | null },
): ScannerTally | undefined {
  if (maxAbsentPercent === null) return undefined
  return tallies.find(
    ({ present, absent }) => absent >= minHeld && (isEmpty || absent * 100 > present * maxAbsentPercent),
  )
}
