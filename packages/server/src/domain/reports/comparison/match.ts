import { forEachBatch } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import type { Gap } from '../formats/gaps.ts'
import { addNew, type Classified, type FreshFinding, type ImportPlace, mayChange, see } from './classified.ts'
import { isOfFingerprint, type MatchReason, mayBeSeveral, reasonOf } from './finding-keys.ts'
import { mayHaveMoved, type Pair, pairsByFingerprint, pairsByLine } from './match-moved.ts'
import { type Candidate, listByKeys, listByUuids } from './match-queries.ts'

/** A reported finding and the known finding that it matches under another uuid. */
export interface Match {
  fresh: FreshFinding
  known: Candidate
  reason: MatchReason
  /** Whether the known finding is updated with the content of the report. */
  takesOver: boolean
}

export interface Matched {
  matches: Match[]
  /** Reported findings whose candidate match was rejected; they are stored from their staged drafts. */
  rejected: FreshFinding[]
}

/**
 * Matches findings that moved: compares reported findings of unknown uuid with known findings that the report does not
 * contain. The most reliable reason comes first; an ambiguous reason matches nothing.
 */
export async function matchMoved(
  deps: Deps,
  place: ImportPlace,
  result: Classified,
  gaps: readonly Gap[],
): Promise<Matched> {
  const rejected: FreshFinding[] = []
  for (const claim of result.claims) {
    // A finding's own uuid takes precedence; of two candidates, the first one in the file.
    if (result.seen.has(claim.known.id)) rejected.push({ ...claim, id: 0 })
    else {
      see(result, place, claim.known)
      if (claim.differs && mayChange(place, claim.known)) {
        result.changed.push({ findingId: claim.known.id, uuid: claim.uuid, isLarge: claim.isLarge })
      }
    }
  }

  let open = [...result.fresh, ...rejected, ...result.contested]
  const matches: Match[] = []
  const close = (taken: ReadonlySet<FreshFinding>) => {
    if (taken.size > 0) open = open.filter((fresh) => !taken.has(fresh))
  }
  const take = (pairs: readonly Found[]) => {
    const taken = new Set<FreshFinding>()
    for (const { fresh, known, reason } of pairs) {
      if (taken.has(fresh) || result.seen.has(known.id)) continue
      taken.add(fresh)
      see(result, place, known)
      matches.push({ fresh, known, reason, takesOver: mayChange(place, known) })
    }
    close(taken)
  }
  const because = (reason: MatchReason, pairs: readonly Pair[]) => pairs.map((pair) => ({ ...pair, reason }))

  take(because('fingerprint', await pairsByFingerprint(deps, place, result, open)))
  close(stayAtPlace(place, result, new Set(open)))
  take(await pairsByUuid(deps, place, open))
  for (const rank of ranksOf(open)) take(await pairsByKey(deps, place, result.seen, open, rank))
  take(because('nearest', await pairsByLine(deps, place, result, open, gaps)))

  const isRejected = new Set<FreshFinding>([...rejected, ...result.contested])
  for (const fresh of open) addNew(result, fresh)
  return { matches, rejected: open.filter((fresh) => isRejected.has(fresh)) }
}

interface Found extends Pair {
  reason: MatchReason
}

/**
 * Keeps a known finding whose place the report contains and that matched nowhere else: its scanner computes other
 * fingerprints now. Returns the reported findings that this resolves.
 */
function stayAtPlace(
  place: ImportPlace,
  result: Classified,
  open: ReadonlySet<FreshFinding>,
): ReadonlySet<FreshFinding> {
  const stayed = new Set<FreshFinding>()
  for (const contested of result.contested) {
    const { owner, uuid, isLarge } = contested
    if (!open.has(contested) || result.seen.has(owner.id)) continue
    see(result, place, owner)
    if (mayChange(place, owner)) result.changed.push({ findingId: owner.id, uuid, isLarge })
    stayed.add(contested)
  }
  return stayed
}

async function pairsByUuid(deps: Deps, place: ImportPlace, open: readonly FreshFinding[]): Promise<Found[]> {
  const pairs: Found[] = []
  await forEachBatch(
    open.filter(({ former }) => former.length > 0),
    async (slice) => {
      const uuids = slice.flatMap(({ former }) => former.map(({ uuid }) => uuid))
      const byUuid = new Map((await listByUuids(deps.db, place, uuids)).map((known) => [known.uuid, known]))
      for (const fresh of slice) {
        for (const { uuid, reason } of fresh.former) {
          const known = byUuid.get(uuid)
          // An identifier may match across scanners; a location alone matches within one scanner.
          if (known && (reason === 'identifier' || known.scannerId === fresh.scannerId))
            pairs.push({ fresh, known, reason })
        }
      }
    },
  )
  return pairs
}

function ranksOf(open: readonly FreshFinding[]): number[] {
  const ranks = new Set<number>()
  for (const { keys } of open) for (const { rank } of keys) ranks.add(rank)
  return [...ranks].filter((rank) => !isOfFingerprint(rank)).sort((a, b) => a - b)
}

interface Group {
  fresh: FreshFinding[]
  known: Candidate[]
}

async function pairsByKey(
  deps: Deps,
  place: ImportPlace,
  seen: ReadonlySet<number>,
  open: readonly FreshFinding[],
  rank: number,
): Promise<Found[]> {
  const groups = new Map<string, Group>()
  const keys = new Set<string>()
  for (const fresh of open) {
    for (const { rank: own, key } of fresh.keys) {
      if (own !== rank) continue
      const group = groups.get(`${fresh.reportType} ${key}`)
      if (group) group.fresh.push(fresh)
      else groups.set(`${fresh.reportType} ${key}`, { fresh: [fresh], known: [] })
      keys.add(key)
    }
  }
  await forEachBatch([...keys], async (keys) => {
    for (const { key, ...known } of await listByKeys(deps.db, place, keys)) {
      const mayBeOne = !seen.has(known.id) && mayHaveMoved(place, known, rank)
      if (mayBeOne) groups.get(`${known.reportType} ${key}`)?.known.push(known)
    }
  })
  const reason = reasonOf(rank)
  return [...groups.values()].flatMap((group) => pairUp(group, rank).map((pair) => ({ ...pair, reason })))
}

/**
 * Pairs findings in line order. A rank whose keys must be unique yields no pair when several findings share the key.
 */
function pairUp({ fresh, known }: Group, rank: number): { fresh: FreshFinding; known: Candidate }[] {
  if (known.length === 0 || (!mayBeSeveral(rank) && (fresh.length > 1 || known.length > 1))) return []
  const inOrder = known.toSorted((a, b) => a.line - b.line || a.id - b.id)
  const pairs: { fresh: FreshFinding; known: Candidate }[] = []
  for (const [index, one] of fresh.toSorted((a, b) => a.line - b.line).entries()) {
    const other = inOrder[index]
    if (other) pairs.push({ fresh: one, known: other })
  }
  return pairs
}
