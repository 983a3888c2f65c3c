import { anywhereRank } from '../../findings/finding-key.ts'
import type { Candidate } from '../../findings/known-finding.ts'
import { pairByFingerprint } from '../formats/identity/result-fingerprints.ts'
import type { ImportPlace } from './import-place.ts'
import { isObserved, type Matching, mayHaveMoved, type Pair } from './matching.ts'

/** Returns the distinct fingerprint keys of the open findings. */
export const fingerprintKeysIn = ({ open }: Matching): string[] => [
  ...new Set(open.flatMap(({ fingerprints }) => fingerprints.flatMap(({ inFile, anywhere }) => [inFile, anywhere]))),
]

/** Selects the known findings that may have moved, each once. */
export function selectMovable(place: ImportPlace, matching: Matching, candidates: readonly Candidate[]): Candidate[] {
  const movable = new Map<number, Candidate>()
  for (const known of candidates) {
    if (!isObserved(matching, known.id) && mayHaveMoved(place, known, 1)) movable.set(known.id, known)
  }
  return [...movable.values()]
}

/** Pairs open findings with known ones by the fingerprints of the scanner. */
export function pairByFingerprints(
  place: ImportPlace,
  { open }: Matching,
  movable: readonly { known: Candidate; keys: { inFile: readonly string[]; anywhere: readonly string[] } }[],
  isRepeated: (key: string) => boolean,
): Pair[] {
  const candidates = movable.map(({ known, keys: { inFile, anywhere } }) => ({
    ...known,
    inFile,
    anywhere,
    staysInFile: !mayHaveMoved(place, known, anywhereRank),
  }))
  return pairByFingerprint(open, candidates, isRepeated).map((pair) => ({ ...pair, reason: 'fingerprint' }))
}
