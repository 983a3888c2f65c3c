import type { Candidate } from '../../findings/known-finding.ts'
import { groupBy } from '../../group-by.ts'
import { type Gap, gapsOf } from '../formats/gaps.ts'
import { nearestKeyOf } from './finding-keys.ts'
import type { ImportPlace } from './import-place.ts'
import { isObserved, type Matching, mayHaveMoved, type Pair } from './matching.ts'
import { pairNearest } from './nearest.ts'
import type { ReportedFinding } from './reported-finding.ts'

/** Returns the external ids of the scanners whose report is complete, by id: a missing entry could be nearer. */
export const completeScanners = (
  scannerIds: ReadonlyMap<string, number>,
  gaps: readonly Gap[],
): ReadonlyMap<number, string> =>
  new Map(
    [...scannerIds]
      .filter(([scanner]) => gapsOf(gaps, [scanner], 'sast').length === 0)
      .map(([scanner, id]) => [id, scanner]),
  )

/** Returns the open findings that have no key but their line. */
export const listBare = ({ open }: Matching, scanners: ReadonlyMap<number, string>): ReportedFinding[] =>
  open.filter(({ nearestKey, scannerId }) => nearestKey !== undefined && scanners.has(scannerId))

/** Pairs findings that have no key but their line with the nearest known ones of the same rule and file. */
export function pairByLine(
  place: ImportPlace,
  matching: Matching,
  scanners: ReadonlyMap<number, string>,
  candidates: readonly (Candidate & { identifier: string; file: string })[],
): Pair[] {
  const movable = candidates.filter((known) => !isObserved(matching, known.id) && mayHaveMoved(place, known, 1))
  const known = groupBy(movable, ({ scannerId, identifier, file }) =>
    nearestKeyOf(scanners.get(scannerId) ?? '', identifier, file),
  )
  const reported = groupBy(listBare(matching, scanners), ({ nearestKey = '' }) => nearestKey)
  return [...reported].flatMap(([key, group]) =>
    pairNearest(group, known.get(key) ?? []).map((pair) => ({ ...pair, reason: 'nearest' as const })),
  )
}
