import { forEachBatch } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import { isCovered } from '../../findings/categories.ts'
import { anywhereRank, isOfOneFile } from '../../findings/finding-key.ts'
import { listByFiles, listByKeys, listFingerprintKeys } from '../../findings/findings.ts'
import type { Candidate } from '../../findings/known-finding.ts'
import { groupBy } from '../../group-by.ts'
import { type Gap, gapsOf } from '../formats/gaps.ts'
import { isOfAnother } from '../formats/identity/artifacts.ts'
import { pairByFingerprint } from '../formats/identity/result-fingerprints.ts'
import type { Classified, ImportPlace, ReportedFinding } from './classified.ts'
import { nearestKeyOf } from './finding-keys.ts'
import { pairNearest } from './nearest.ts'

/** A reported finding and the known finding it matches. */
export interface Pair {
  reported: ReportedFinding
  known: Candidate
}

/**
 * Returns true if the known finding can have moved to a place in this report. A finding that only other categories
 * contain, here or on the default branch, has not moved. A finding of a report without a category may have moved within
 * its file, but not to another one. A finding that another artifact contained last is still there.
 */
export const mayHaveMoved = (
  place: ImportPlace,
  { wasPresent, categories, artifact }: Candidate,
  rank: number,
): boolean =>
  !(wasPresent === true && isOfAnother(place.artifact, artifact)) &&
  (isCovered(place.category, categories) || (categories === '' && (wasPresent !== true || isOfOneFile(rank))))

/** Pairs reported findings with known, still unmatched ones by the fingerprints of the scanner. */
export async function pairsByFingerprint(
  deps: Deps,
  place: ImportPlace,
  { observed, repeats }: Classified,
  open: readonly ReportedFinding[],
): Promise<Pair[]> {
  const keys = open.flatMap(({ fingerprints }) => fingerprints.flatMap(({ inFile, anywhere }) => [inFile, anywhere]))
  const candidates = new Map<number, Candidate>()
  await forEachBatch([...new Set(keys)], async (slice) => {
    for (const known of await listByKeys(deps.db, place, slice)) {
      if (!observed.has(known.id) && mayHaveMoved(place, known, 1)) candidates.set(known.id, known)
    }
  })
  const withKeys: (Candidate & { inFile: string[]; anywhere: string[]; staysInFile: boolean })[] = []
  await forEachBatch([...candidates.values()], async (slice) => {
    const keys = await listFingerprintKeys(
      deps.db,
      slice.map(({ id }) => id),
    )
    for (const known of slice) {
      const { inFile, anywhere } = keys.get(known.id) ?? { inFile: [], anywhere: [] }
      withKeys.push({ ...known, inFile, anywhere, staysInFile: !mayHaveMoved(place, known, anywhereRank) })
    }
  })
  return pairByFingerprint(open, withKeys, repeats.isRepeated)
}

/**
 * Pairs findings that have no key but their line with the nearest known ones, for scanners whose report is complete.
 */
export async function pairsByLine(
  deps: Deps,
  place: ImportPlace,
  { observed, scannerIds }: Classified,
  open: readonly ReportedFinding[],
  gaps: readonly Gap[],
): Promise<Pair[]> {
  const complete = [...scannerIds].filter(([scanner]) => gapsOf(gaps, [scanner], 'sast').length === 0)
  const scanners = new Map(complete.map(([scanner, id]) => [id, scanner]))
  const bare = open.filter(({ nearestKey, scannerId }) => nearestKey !== undefined && scanners.has(scannerId))
  const files = new Set(bare.map(({ location }) => String(location['file'])))
  const known: (Candidate & { key: string })[] = []
  await forEachBatch([...files], async (slice) => {
    for (const candidate of await listByFiles(deps.db, place, [...scanners.keys()], slice)) {
      const { identifier, file, ...rest } = candidate
      const key = nearestKeyOf(scanners.get(candidate.scannerId) ?? '', identifier, file)
      if (!observed.has(candidate.id) && mayHaveMoved(place, rest, 1)) known.push({ ...rest, key })
    }
  })
  const knownByKey = groupBy(known, ({ key }) => key)
  return [...groupBy(bare, ({ nearestKey = '' }) => nearestKey)].flatMap(([key, reported]) =>
    pairNearest(reported, knownByKey.get(key) ?? []),
  )
}
