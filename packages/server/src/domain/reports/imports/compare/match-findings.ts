import { forEachBatch } from '../../../batches.ts'
import type { Deps } from '../../../deps.ts'
import {
  listByFiles,
  listByImportKeys,
  listByKeys,
  listByUuids,
  listFingerprintKeys,
} from '../../../findings/findings.ts'
import type { ImportKey } from '../../../findings/imported-findings/import-key.ts'
import type { Candidate } from '../../../findings/known-finding.ts'
import { fingerprintKeysIn, pairByFingerprints, selectMovable } from '../../comparison/by-fingerprint.ts'
import { pairByFormerUuid } from '../../comparison/by-former-uuid.ts'
import { pairByImport } from '../../comparison/by-import.ts'
import { keysIn, pairByKey, ranksIn } from '../../comparison/by-key.ts'
import { completeScanners, listBare, pairByLine } from '../../comparison/by-line.ts'
import type { Decision } from '../../comparison/decision.ts'
import { observedIds } from '../../comparison/decision-list.ts'
import type { ImportPlace } from '../../comparison/import-place.ts'
import {
  acceptPairs,
  decideOpen,
  isObserved,
  keepAtPlace,
  type Matching,
  type Pair,
  repeatMatches,
} from '../../comparison/matching.ts'
import type { Gap } from '../../formats/gaps.ts'
import type { ReadFindings } from './read-findings.ts'

/**
 * Matches findings that moved: compares reported findings of unknown uuid with known findings that the report does not
 * contain. The most reliable reason comes first; an ambiguous reason matches nothing. Loads the candidates of each
 * step; the steps themselves are pure. Returns the decisions on all findings that the comparison by uuid left open.
 */
export async function matchFindings(
  deps: Deps,
  place: ImportPlace,
  read: ReadFindings,
  { scannerIds, gaps }: { scannerIds: ReadonlyMap<string, number>; gaps: readonly Gap[] },
): Promise<Decision[]> {
  const observed = observedIds(read.decisions)
  const repeated = repeatMatches(place, { observed, open: read.unmatched }, read.matchedBefore)
  const contested = read.contested.map(({ reported }) => reported)
  let matching: Matching = { ...repeated, open: [...repeated.open, ...contested] }

  const fingerprinted = await loadFingerprinted(deps, place, matching)
  const isRepeated = read.repeatedKeys.isRepeated
  matching = acceptPairs(place, matching, pairByFingerprints(place, matching, fingerprinted, isRepeated))
  matching = keepAtPlace(place, matching, read.contested)
  matching = acceptPairs(place, matching, await loadFormerPairs(deps, place, matching))
  for (const rank of ranksIn(matching)) {
    const candidates = await loadByKeys(deps, place, matching, keysIn(matching, rank))
    matching = acceptPairs(place, matching, pairByKey(place, matching, rank, candidates))
  }
  const scanners = completeScanners(scannerIds, gaps)
  const nearby = await loadNearby(deps, place, matching, scanners)
  matching = acceptPairs(place, matching, pairByLine(place, matching, scanners, nearby))

  matching = acceptPairs(place, matching, pairByImport(place, matching, await loadImported(deps, place, matching)))

  const staged = new Set([...read.matchedBefore.map(({ reported }) => reported), ...contested])
  return [...matching.decisions, ...decideOpen(matching, staged, read.isSample)]
}

async function loadByKeys(
  { db }: Deps,
  place: ImportPlace,
  matching: Matching,
  keys: readonly string[],
): Promise<(Candidate & { key: string })[]> {
  const candidates: (Candidate & { key: string })[] = []
  await forEachBatch(keys, async (batch) => {
    for (const known of await listByKeys(db, place, batch)) {
      if (!isObserved(matching, known.id)) candidates.push(known)
    }
  })
  return candidates
}

/** Loads the known findings that share a fingerprint with an open one, and all their fingerprints. */
async function loadFingerprinted(deps: Deps, place: ImportPlace, matching: Matching) {
  const candidates = await loadByKeys(deps, place, matching, fingerprintKeysIn(matching))
  const movable = selectMovable(place, matching, candidates)
  const loaded: { known: Candidate; keys: { inFile: string[]; anywhere: string[] } }[] = []
  await forEachBatch(movable, async (batch) => {
    const keys = await listFingerprintKeys(
      deps.db,
      batch.map(({ id }) => id),
    )
    for (const known of batch) loaded.push({ known, keys: keys.get(known.id) ?? { inFile: [], anywhere: [] } })
  })
  return loaded
}

async function loadFormerPairs({ db }: Deps, place: ImportPlace, { open }: Matching): Promise<Pair[]> {
  const pairs: Pair[] = []
  await forEachBatch(
    open.filter(({ former }) => former.length > 0),
    async (batch) => {
      const uuids = batch.flatMap(({ former }) => former.map(({ uuid }) => uuid))
      pairs.push(...pairByFormerUuid(batch, await listByUuids(db, place, uuids)))
    },
  )
  return pairs
}

/** Loads the imported findings that share a key with an open one. */
async function loadImported({ db }: Deps, place: ImportPlace, matching: Matching): Promise<(Candidate & ImportKey)[]> {
  const keys = new Set(matching.open.flatMap(({ importKeys }) => importKeys.map(({ key }) => key)))
  const imported: (Candidate & ImportKey)[] = []
  await forEachBatch([...keys], async (batch) => void imported.push(...(await listByImportKeys(db, place, batch))))
  return imported
}

async function loadNearby(
  { db }: Deps,
  place: ImportPlace,
  matching: Matching,
  scanners: ReadonlyMap<number, string>,
): Promise<(Candidate & { identifier: string; file: string })[]> {
  const files = new Set(listBare(matching, scanners).map(({ location }) => String(location['file'])))
  const nearby: (Candidate & { identifier: string; file: string })[] = []
  await forEachBatch([...files], async (batch) => {
    for (const known of await listByFiles(db, place, [...scanners.keys()], batch)) {
      if (!isObserved(matching, known.id)) nearby.push(known)
    }
  })
  return nearby
}
