/** Numbers of findings of a scanner on the ref that a report covers. */
export interface ScannerTally {
  scanner: string
  /** Present before the report. */
  present: number
  /** Absent after it. */
  absent: number
}

/** Smaller numbers of absences are held only if the report is empty. */
const minHeld = 10

/**
 * Returns the scanner whose absences are implausible: more than the permitted share of its findings, or any of them if
 * the report is the first empty one. A broken rule download or a wrong folder looks like that.
 */
export function findImplausible(
  tallies: readonly ScannerTally[],
  { isFirstEmpty, maxAbsentPercent }: { isFirstEmpty: boolean; maxAbsentPercent: number | null },
): ScannerTally | undefined {
  if (maxAbsentPercent === null) return undefined
  return tallies.find(
    ({ present, absent }) =>
      (isFirstEmpty && absent > 0) || (absent >= minHeld && absent * 100 > present * maxAbsentPercent),
  )
}
