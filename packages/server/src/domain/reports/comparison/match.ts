import { forEachBatch } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import { isOfFingerprint, type MatchReason, mayBeSeveral, reasonOf } from '../../findings/finding-key.ts'
import { listByKeys, listByUuids } from '../../findings/findings.ts'
import type { Candidate } from '../../findings/known-finding.ts'
import type { Gap } from '../formats/gaps.ts'
import { addKnown, addNew, type Classified, type ImportPlace, mayChange, type ReportedFinding } from './classified.ts'
import { mayHaveMoved, type Pair, pairsByFingerprint, pairsByLine } from './match-moved.ts'

/** A reported finding and the known finding that it matches under another uuid. */
export interface Match {
  reported: ReportedFinding
  known: Candidate
  reason: MatchReason
  /** Whether the known finding is updated with the content of the report. */
  updatesContent: boolean
}

export interface Matched {
  matches: Match[]
  /** Reported findings whose candidate match was rejected; they are stored from their staged drafts. */
  rejected: ReportedFinding[]
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
  const rejected: ReportedFinding[] = []
  for (const claim of result.candidateMatches) {
    // A finding's own uuid takes precedence; of two candidates, the first one in the file.
    if (result.observed.has(claim.known.id)) rejected.push({ ...claim, id: 0 })
    else {
      addKnown(result, place, claim.known)
      if (claim.differs && mayChange(place, claim.known)) {
        result.changed.push({ findingId: claim.known.id, uuid: claim.uuid, isLarge: claim.isLarge })
      }
    }
  }

  let open = [...result.unmatched, ...rejected, ...result.contested]
  const matches: Match[] = []
  const close = (taken: ReadonlySet<ReportedFinding>) => {
    if (taken.size > 0) open = open.filter((reported) => !taken.has(reported))
  }
  const take = (pairs: readonly Found[]) => {
    const taken = new Set<ReportedFinding>()
    for (const { reported, known, reason } of pairs) {
      if (taken.has(reported) || result.observed.has(known.id)) continue
      taken.add(reported)
      addKnown(result, place, known)
      matches.push({ reported, known, reason, updatesContent: mayChange(place, known) })
    }
    close(taken)
  }
  const because = (reason: MatchReason, pairs: readonly Pair[]) => pairs.map((pair) => ({ ...pair, reason }))

  take(because('fingerprint', await pairsByFingerprint(deps, place, result, open)))
  close(stayAtPlace(place, result, new Set(open)))
  take(await pairsByUuid(deps, place, open))
  for (const rank of ranksOf(open)) take(await pairsByKey(deps, place, result.observed, open, rank))
  take(because('nearest', await pairsByLine(deps, place, result, open, gaps)))

  const isRejected = new Set<ReportedFinding>([...rejected, ...result.contested])
  for (const reported of open) addNew(result, reported)
  return { matches, rejected: open.filter((reported) => isRejected.has(reported)) }
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
  open: ReadonlySet<ReportedFinding>,
): ReadonlySet<ReportedFinding> {
  const stayed = new Set<ReportedFinding>()
  for (const contested of result.contested) {
    const { owner, uuid, isLarge } = contested
    if (!open.has(contested) || result.observed.has(owner.id)) continue
    addKnown(result, place, owner)
    if (mayChange(place, owner)) result.changed.push({ findingId: owner.id, uuid, isLarge })
    stayed.add(contested)
  }
  return stayed
}

async function pairsByUuid(deps: Deps, place: ImportPlace, open: readonly ReportedFinding[]): Promise<Found[]> {
  const pairs: Found[] = []
  await forEachBatch(
    open.filter(({ former }) => former.length > 0),
    async (slice) => {
      const uuids = slice.flatMap(({ former }) => former.map(({ uuid }) => uuid))
      const byUuid = new Map((await listByUuids(deps.db, place, uuids)).map((known) => [known.uuid, known]))
      for (const reported of slice) {
        for (const { uuid, reason } of reported.former) {
          const known = byUuid.get(uuid)
          // An identifier may match across scanners; a location alone matches within one scanner.
          if (known && (reason === 'identifier' || known.scannerId === reported.scannerId))
            pairs.push({ reported, known, reason })
        }
      }
    },
  )
  return pairs
}

function ranksOf(open: readonly ReportedFinding[]): number[] {
  const ranks = new Set<number>()
  for (const { keys } of open) for (const { rank } of keys) ranks.add(rank)
  return [...ranks].filter((rank) => !isOfFingerprint(rank)).sort((a, b) => a - b)
}

interface Group {
  reported: ReportedFinding[]
  known: Candidate[]
}

async function pairsByKey(
  deps: Deps,
  place: ImportPlace,
  observed: ReadonlySet<number>,
  open: readonly ReportedFinding[],
  rank: number,
): Promise<Found[]> {
  const groups = new Map<string, Group>()
  const keys = new Set<string>()
  for (const reported of open) {
    for (const { rank: own, key } of reported.keys) {
      if (own !== rank) continue
      const group = groups.get(`${reported.reportType} ${key}`)
      if (group) group.reported.push(reported)
      else groups.set(`${reported.reportType} ${key}`, { reported: [reported], known: [] })
      keys.add(key)
    }
  }
  await forEachBatch([...keys], async (keys) => {
    for (const { key, ...known } of await listByKeys(deps.db, place, keys)) {
      const mayBeOne = !observed.has(known.id) && mayHaveMoved(place, known, rank)
      if (mayBeOne) groups.get(`${known.reportType} ${key}`)?.known.push(known)
    }
  })
  const reason = reasonOf(rank)
  return [...groups.values()].flatMap((group) => pairUp(group, rank).map((pair) => ({ ...pair, reason })))
}

/**
 * Pairs findings in line order. A rank whose keys must be unique yields no pair when several findings share the key.
 */
function pairUp({ reported, known }: Group, rank: number): { reported: ReportedFinding; known: Candidate }[] {
  if (known.length === 0 || (!mayBeSeveral(rank) && (reported.length > 1 || known.length > 1))) return []
  const inOrder = known.toSorted((a, b) => a.line - b.line || a.id - b.id)
  const pairs: { reported: ReportedFinding; known: Candidate }[] = []
  for (const [index, one] of reported.toSorted((a, b) => a.line - b.line).entries()) {
    const other = inOrder[index]
    if (other) pairs.push({ reported: one, known: other })
  }
  return pairs
}
