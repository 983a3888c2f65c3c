import { setImmediate } from 'node:timers/promises'
import type { ReportProblem } from '../../../platform/failure.ts'
import { startTimeSlice } from '../../../platform/time-slice.ts'
import { groupBy } from '../../group-by.ts'
import { hashKey } from '../comparison/key-table.ts'
import { objectOf } from '../formats/fields/json-fields.ts'
import { shorten } from '../formats/fields/shorten.ts'
import { type Gaps, startGaps } from '../formats/gaps.ts'
import { startDeduplication } from '../formats/identity/deduplicate.ts'
import { startProblems } from '../formats/problems/problems.ts'
import { startTally, type Tally } from '../formats/problems/tally.ts'
import type { MergedFinding, Report, ReportFinding, Scan, SkippedFinding } from '../formats/report.ts'
import type { OpenedReport, ReportFormat } from '../formats/report-format.ts'
import type { CachedEntry, EntryHash, FindEntry } from './cached-entries.ts'
import type { Document, Item } from './document.ts'
import { startSuppressedFindings } from './suppressed-findings.ts'

/** An entry that was not read, because it is cached. */
export interface CachedFinding extends CachedEntry {
  entryHash: EntryHash
  isCached: true
}

export type ReadEntry = ReportFinding | CachedFinding

export const isCached = (entry: ReadEntry): entry is CachedFinding => 'isCached' in entry

/** Results of reading all entries. Its lists are truncated. */
export type Outcome = Pick<
  Report,
  | 'counts'
  | 'artifact'
  | 'scannedFiles'
  | 'warnings'
  | 'gaps'
  | 'skipped'
  | 'skippedSuppressed'
  | 'unsuppressed'
  | 'merged'
>

/** Number of findings in a batch. Small, because each garbage collection copies the findings of an unfinished batch. */
const batchSize = 5
/** Maximum size of the findings in a batch, because single entries may be large. */
const batchCharacters = 2 * 1024 * 1024

/** The warnings and gaps of a report. */
export interface Remarks {
  tally: Tally
  gaps: Gaps
  /** Number of remarks so far, repeated ones included. */
  count: () => number
}

export function startRemarks(): Remarks {
  const tally = startTally()
  const gaps = startGaps()
  let count = 0
  return {
    tally: {
      ...tally,
      add(what, pointer) {
        count++
        tally.add(what, pointer)
      },
    },
    gaps: {
      ...gaps,
      add(scope, reason, pointer) {
        count++
        gaps.add(scope, reason, pointer)
      },
    },
    count: () => count,
  }
}

interface ReadingOptions {
  remarks: Remarks
  /** Pointers of duplicates with those of the kept findings, if they are known already. */
  losers: ReadonlyMap<string, string> | undefined
}

/** Starts reading the entries of a report. */
export function startReading(
  document: Document,
  format: ReportFormat,
  opened: OpenedReport,
  { remarks, losers }: ReadingOptions,
): { batches: (findCached?: FindEntry) => AsyncGenerator<ReadEntry[]>; outcome: () => Outcome } {
  const problems = startProblems()
  problems.add(opened.problems)
  const collected = collectFindings(opened, { remarks, losers })

  /** Reads an entry. It can be cached if it results in a finding, and in nothing else. */
  function* readEntry(item: Item): Generator<void> {
    const before = remarks.count()
    if (item.json) for (const warning of item.json.warnings) remarks.tally.add(warning, item.pointer)
    const violations = checkItem(opened, item)
    problems.add(violations)
    yield
    for (const made of readItem(opened, item)) {
      const hadNoRemarks = violations.length === 0 && remarks.count() === before
      if ('uuid' in made) collected.add(made, hadNoRemarks ? item.hash : undefined)
      else collected.skip(item, made)
      yield
    }
  }

  async function* batches(findCached?: FindEntry): AsyncGenerator<ReadEntry[]> {
    const slice = startTimeSlice()
    for await (const item of document.items(format.items, findCached)) {
      if (item.hash && item.cached) {
        collected.addCached(item.pointer, item.hash, item.cached)
        if (collected.isFull()) yield collected.take()
        continue
      }
      if (item.isLarge) await setImmediate()
      const reading = readEntry(item)
      reading.next()
      if (item.isLarge) await setImmediate()
      await prepare(opened, item)
      for (const _ of reading) {
        if (collected.isFull()) yield collected.take()
        if (slice.isOver()) await slice.next()
      }
    }
    if (!collected.isEmpty()) yield collected.take()
  }

  return {
    batches,
    outcome: () => ({
      artifact: opened.artifact?.(),
      scannedFiles: opened.scannedFiles,
      warnings: [
        ...problems.all(),
        ...opened.warnings,
        ...remarks.tally.warnings(),
        ...scannerRemarks(opened.header.scan),
      ],
      gaps: remarks.gaps.all(),
      ...collected.outcome(),
    }),
  }
}

/** Collects the findings of a report in batches, without duplicates, and what is known about the other entries. */
function collectFindings(opened: OpenedReport, { remarks, losers }: ReadingOptions) {
  const counts = { read: 0, merged: 0, skipped: 0 }
  const skipped: SkippedFinding[] = []
  const merged: MergedFinding[] = []
  const suppressed = startSuppressedFindings(losers !== undefined)
  const repeats = startDeduplication(losers)
  let skippedSuppressed = 0
  let batch: ReadEntry[] = []
  let characters = 0

  function merge(finding: Pick<ReportFinding, 'suppression'>, repeat: MergedFinding): void {
    suppressed.merged(finding, repeat)
    if (++counts.merged <= maxListed) merged.push(repeat)
  }

  return {
    /** `entryHash` is set if reading the entry had no other effect. */
    add(finding: ReportFinding, entryHash: EntryHash | undefined): void {
      counts.read++
      const repeat = repeats.keptFor(finding, finding.keys.map(hashKey))
      if (repeat) {
        merge(finding, repeat)
        return
      }
      // Not a copy, because findings are large and there may be hundreds of thousands.
      if (entryHash !== undefined && needsOnlyHeader(finding, opened)) finding.entryHash = entryHash
      batch.push(finding)
      characters += finding.rawMetadata.length
      suppressed.kept(finding)
    },
    addCached(pointer: string, entryHash: EntryHash, entry: CachedEntry): void {
      counts.read++
      const repeat = repeats.keptFor({ pointer, uuid: entry.uuid }, entry.keys)
      if (repeat) merge({}, repeat)
      else batch.push({ ...entry, entryHash, isCached: true })
    },
    skip(item: Item, made: SkippedFinding): void {
      counts.read++
      if (!made.isSettled) addGap(remarks.gaps, opened, item, made)
      if (made.isSuppressed) skippedSuppressed++
      const { pointer, reason } = made
      if (++counts.skipped <= maxListed) skipped.push({ pointer, reason })
    },
    isEmpty: () => batch.length === 0,
    isFull: () => batch.length >= batchSize || characters >= batchCharacters,
    take(): ReadEntry[] {
      const taken = batch
      batch = []
      characters = 0
      return taken
    },
    outcome: () => ({ counts, skipped, skippedSuppressed, unsuppressed: suppressed.unsuppressed(), merged }),
  }
}

/** Returns true if the import needs nothing of a stored and unchanged finding that is not in the header of the report. */
const needsOnlyHeader = (
  { doubt, suppression, fingerprints, scanner, reportType }: ReportFinding,
  { header }: OpenedReport,
) =>
  doubt === undefined &&
  suppression === undefined &&
  fingerprints.length === 0 &&
  scanner === header.scanner &&
  header.reportTypes.includes(reportType)

/** Returns the violations of the format in an entry. */
export function checkItem(opened: Pick<OpenedReport, 'check'>, item: Item): ReportProblem[] {
  if (item.json) return opened.check(item.json.value, item)
  return [{ type: 'Schema', message: tooLargeEntry, pointer: item.pointer }]
}

const tooLargeEntry = 'the entry is larger than this server reads'

/** Queries the project for data that reading the entry needs. */
export async function prepare(opened: OpenedReport, { json }: Item): Promise<void> {
  const entry = opened.prepare && objectOf(json?.value)
  if (entry) await opened.prepare?.(entry)
}

export function readItem(opened: OpenedReport, item: Item): Iterable<ReportFinding | SkippedFinding> {
  const { pointer, json } = item
  if (!json) return [{ pointer, reason: tooLargeEntry }]
  const entry = objectOf(json.value)
  return entry ? opened.read(entry, item) : [{ pointer, reason: 'it is not an object' }]
}

function addGap(gaps: Gaps, { scopesOf }: OpenedReport, item: Item, { pointer, reason }: SkippedFinding): void {
  for (const scope of scopesOf?.(item) ?? [{}]) gaps.add(scope, `an entry cannot be read (${reason})`, pointer)
}

const maxListed = 1000
const maxRemarks = 100
const maxRemark = 500

/** Returns warnings and errors that the scanner reports, for example that it could not read a file. */
function scannerRemarks({ messages }: Scan): ReportProblem[] {
  const said = groupBy(
    messages.filter(({ level }) => level !== 'info'),
    ({ level, value }) =>
      shorten(`${level === 'fatal' ? 'The scanner reports an error' : 'The scanner warns'}: ${value}`, maxRemark),
  )
  return [...said].slice(0, maxRemarks).map(([text, { length }]) => {
    return { type: 'Scanner', message: length === 1 ? text : `${text} (${length} times)`, pointer: '' }
  })
}
