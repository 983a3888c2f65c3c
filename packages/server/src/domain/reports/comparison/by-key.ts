import { isOfFingerprint, mayBeSeveral, reasonOf } from '../../findings/finding-key.ts'
import type { Candidate } from '../../findings/known-finding.ts'
import { groupBy } from '../../group-by.ts'
import type { ImportPlace } from './import-place.ts'
import { isObserved, type Matching, mayHaveMoved, type Pair } from './matching.ts'
import type { ReportedFinding } from './reported-finding.ts'

/** Returns the ranks of the keys of open findings, most reliable first, without those of fingerprints. */
export function ranksIn({ open }: Matching): number[] {
  const ranks = new Set<number>()
  for (const { keys } of open) for (const { rank } of keys) ranks.add(rank)
  return [...ranks].filter((rank) => !isOfFingerprint(rank)).sort((a, b) => a - b)
}

/** Returns the distinct keys of one rank of the open findings. */
export const keysIn = ({ open }: Matching, rank: number): string[] => [
  ...new Set(open.flatMap(({ keys }) => keys.flatMap((key) => (key.rank === rank ? key.key : [])))),
]

/** Pairs open findings with the known ones of the same type that share a key of this rank. */
export function pairByKey(
  place: ImportPlace,
  matching: Matching,
  rank: number,
  candidates: readonly (Candidate & { key: string })[],
): Pair[] {
  const reported = matching.open.flatMap((one) =>
    one.keys.flatMap(({ rank: own, key }) => (own === rank ? [{ one, key: `${one.reportType} ${key}` }] : [])),
  )
  const movable = candidates.filter((known) => !isObserved(matching, known.id) && mayHaveMoved(place, known, rank))
  const known = groupBy(movable, ({ reportType, key }) => `${reportType} ${key}`)
  return [...groupBy(reported, ({ key }) => key)].flatMap(([key, group]) =>
    pairInLineOrder(
      group.map(({ one }) => one),
      known.get(key) ?? [],
      rank,
    ),
  )
}

/** Pairs findings in line order. A rank whose keys must be unique yields no pair when several findings share the key. */
function pairInLineOrder(reported: readonly ReportedFinding[], known: readonly Candidate[], rank: number): Pair[] {
  if (known.length === 0 || (!mayBeSeveral(rank) && (reported.length > 1 || known.length > 1))) return []
  const reason = reasonOf(rank)
  const inOrder = known.toSorted((a, b) => a.line - b.line || a.id - b.id)
  return reported
    .toSorted((a, b) => a.line - b.line)
    .flatMap((one, index) => {
      const other = inOrder[index]
      return other ? [{ reported: one, known: other, reason }] : []
    })
}
