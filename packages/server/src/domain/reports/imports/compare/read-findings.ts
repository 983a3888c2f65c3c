import type { RootDeps } from '../../../deps.ts'
import { findKnownFindings, hasAnyFinding, hasImportKeys, listFingerprintKeys } from '../../../findings/findings.ts'
import type { KnownFinding } from '../../../findings/known-finding.ts'
import type { Severity } from '../../../findings/scales.ts'
import {
  compareByUuid,
  disambiguatedUuidOf,
  isStaged,
  listPossibleConflicts,
  pairByUuid,
  selectConflicts,
  type UuidPair,
  type UuidResult,
} from '../../comparison/by-uuid.ts'
import { decideNew, decideUnchanged, startSamples } from '../../comparison/decision.ts'
import { type DecisionList, openDecisionList } from '../../comparison/decision-list.ts'
import { fingerprintKeysOf } from '../../comparison/finding-keys.ts'
import type { ImportPlace } from '../../comparison/import-place.ts'
import { type ImportedEntry, type ImportedFinding, isFinding, isUnchanged } from '../../comparison/imported-finding.ts'
import type { ContestedFinding, MatchedBefore } from '../../comparison/matching.ts'
import { type RepeatedKeys, startRepeatedKeys } from '../../comparison/repeated-keys.ts'
import { mayBeKnown, type ReportedFinding, reportedFrom } from '../../comparison/reported-finding.ts'
import { type Gap, startGaps } from '../../formats/gaps.ts'
import { OutdatedEntries } from '../entry-cache.ts'
import { forEachAdaptiveBatch } from './adaptive-batches.ts'
import type { BatchTransaction } from './batch-transaction.ts'
import { addDoubtfulEntries } from './doubtful-entries.ts'
import type { Scanners } from './scanners.ts'
import { idOf, openContentStore } from './store-contents.ts'

/** The findings of a report after the comparison by uuid. Their contents are in the database. */
export interface ReadFindings {
  /** Decisions on known findings, and on new ones that cannot match a known finding. */
  decisions: DecisionList
  /** Whether a new finding of a severity keeps its summary. Counts the findings that it was called for. */
  isSample: (severity: Severity) => boolean
  /** Findings that may match a known one under another uuid. */
  unmatched: ReportedFinding[]
  matchedBefore: MatchedBefore[]
  contested: ContestedFinding[]
  repeatedKeys: RepeatedKeys
  /** A gap for every entry that may represent a known finding. */
  doubtful: Gap[]
  /** Number of findings in the report. */
  total: number
}

export interface FindingBatches {
  batches: AsyncIterable<readonly ImportedEntry[]>
  /** Called after each series of batches, for example to report the progress. */
  afterSeries: () => Promise<void>
  /** Transaction that stores the contents; the caller ends it. */
  transaction: BatchTransaction
}

/**
 * Reads the findings of a report, compares them by uuid and stores their contents. New findings are inserted, still
 * invisible, and changed contents are staged, so that memory does not grow with them and the visible transaction is
 * short. Yields to the event loop between batches.
 */
export async function readFindings(
  deps: RootDeps,
  place: ImportPlace,
  scanners: Scanners,
  { batches, afterSeries, transaction }: FindingBatches,
): Promise<ReadFindings> {
  const scannerIdOf = ({ scanner }: ImportedFinding): number => scanners.ids.get(scanner.externalId) ?? 0
  const hasPast = (finding: ImportedFinding): boolean => scanners.withPast.has(scannerIdOf(finding))
  const store = openContentStore(transaction, place, hasPast)
  const hadFindings = await hasAnyFinding(deps.db, place.projectId)
  const hasImported = hadFindings && (await hasImportKeys(deps.db, place.projectId))
  const doubts = startGaps()
  const read = emptyReadFindings()
  const { add, addUnknown } = collectResults(read, (finding, id) =>
    reportedFrom(finding, {
      id,
      scannerId: scannerIdOf(finding),
      hasPast: hasPast(finding),
      knownProjectId: hadFindings ? place.projectId : undefined,
      hasImported,
    }),
  )

  async function readBatch(entries: readonly ImportedEntry[]): Promise<void> {
    read.total += entries.length
    const unchanged = await loadUnchanged(deps, place, entries)
    const batch = entries.filter(isFinding)
    await scanners.upsert(
      transaction,
      batch.map(({ scanner }) => scanner),
    )
    const pairs = hadFindings ? await loadPairs(deps, place, batch) : batch.map(unknownPair)
    await addDoubtfulEntries(deps.db, place, pairs, doubts)
    const results = pairs.map((pair) => compareByUuid(place, pair))
    const inserted = results.flatMap((result) => (result.kind === 'unknown' ? result.finding : []))
    const leftovers = results.flatMap((result) => (result.kind === 'leftover' && result.isChanged ? result : []))
    const ids = await store({ inserted, leftovers, staged: results.filter(isStaged).map(({ finding }) => finding) })
    for (const { finding } of results) if (hasPast(finding)) read.repeatedKeys.addAll(fingerprintKeysOf(finding))
    // In file order, which determines the samples and the order of promotion.
    const resultsInOrder = results.values()
    for (const entry of entries) {
      const known = unchanged.get(entry.uuid)
      if (known && isUnchanged(entry)) read.decisions.push(decideUnchanged(place, known))
      else add(resultsInOrder.next().value)
    }
    for (const finding of inserted) addUnknown(finding, place.importId === undefined ? 0 : idOf(ids, finding.uuid))
  }

  const endSeries = () => transaction.end().then(afterSeries)
  await forEachAdaptiveBatch(batches, { ...processingOn(deps), work: readBatch, endSeries })
  return { ...read, doubtful: doubts.all() }
}

/** Adds results of comparing by uuid to what has been read. New findings are added by `addUnknown`, with their ids. */
function collectResults(read: ReadFindings, reported: (finding: ImportedFinding, id: number) => ReportedFinding) {
  const addUnknown = (finding: ImportedFinding, id: number): void => {
    const one = reported(finding, id)
    if (mayBeKnown(one)) read.unmatched.push(one)
    else read.decisions.push(decideNew(one, { isStaged: false, isSample: read.isSample(one.severity) }))
  }
  const add = (result: UuidResult | undefined): void => {
    if (result?.kind === 'known') read.decisions.push(result.decision)
    else if (result?.kind === 'leftover') addUnknown(result.finding, result.findingId)
    else if (result?.kind === 'matchedBefore') {
      const { finding, known, isChanged } = result
      read.matchedBefore.push({ reported: reported(finding, 0), known, isChanged })
    } else if (result?.kind === 'contested') {
      read.contested.push({ reported: reported(result.finding, 0), owner: result.owner })
    }
  }
  return { add, addUnknown }
}

const processingOn = ({ db }: RootDeps) => ({
  isBlocking: db.dialect.engine === 'sqlite',
  canContinue: db.canExtendTransaction,
})

const emptyReadFindings = (): ReadFindings => ({
  decisions: openDecisionList(),
  isSample: startSamples(),
  unmatched: [],
  matchedBefore: [],
  contested: [],
  repeatedKeys: startRepeatedKeys(),
  doubtful: [],
  total: 0,
})

/**
 * Returns the stored findings of the unchanged entries by uuid. Throws `OutdatedEntries` if one of them is not as it was when
 * the report was read.
 */
async function loadUnchanged(
  { db }: RootDeps,
  place: ImportPlace,
  entries: readonly ImportedEntry[],
): Promise<ReadonlyMap<string, KnownFinding>> {
  const unchanged = entries.filter(isUnchanged)
  if (unchanged.length === 0) return new Map()
  const uuids = unchanged.map(({ uuid }) => uuid)
  const known = new Map((await findKnownFindings(db, place, uuids)).map((finding) => [finding.uuid, finding]))
  for (const { uuid, digest } of unchanged) {
    const finding = known.get(uuid)
    if (finding?.digest !== digest || !finding.isOwnUuid || !finding.wasSeen) throw new OutdatedEntries()
  }
  return known
}

const unknownPair = (finding: ImportedFinding): UuidPair => ({ finding, known: undefined, owner: undefined })

/** Loads the stored findings of a batch. */
async function loadPairs({ db }: RootDeps, place: ImportPlace, batch: readonly ImportedFinding[]): Promise<UuidPair[]> {
  const knownByUuid = async (uuids: readonly string[]): Promise<Map<string, KnownFinding>> => {
    const listed = uuids.length > 0 ? await findKnownFindings(db, place, uuids) : []
    return new Map(listed.map((finding) => [finding.uuid, finding]))
  }
  const known = await knownByUuid(batch.map(({ uuid }) => uuid))
  const possible = listPossibleConflicts(batch, known)
  const owners = possible.map(({ owner }) => owner.id)
  const keys = owners.length > 0 ? await listFingerprintKeys(db, owners) : new Map<number, { anywhere: string[] }>()
  const conflicts = selectConflicts(possible, keys)
  return pairByUuid(batch, known, conflicts, await knownByUuid([...conflicts.keys()].map(disambiguatedUuidOf)))
}
