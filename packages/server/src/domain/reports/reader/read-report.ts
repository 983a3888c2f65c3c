import { setImmediate } from 'node:timers/promises'
import type { ReportProblem } from '../../../platform/failure.ts'
import { startTimeSlice } from '../../../platform/time-slice.ts'
import type { ReportedDependency } from '../../dependencies/dependency.ts'
import type { ReportType } from '../../findings/scales.ts'
import { groupBy } from '../../group-by.ts'
import { loadScores } from '../formats/fields/cvss-score.ts'
import { objectOf } from '../formats/fields/json-fields.ts'
import { shorten } from '../formats/fields/shorten.ts'
import { formatOf, unknownFormat } from '../formats/formats.ts'
import { type Gaps, startGaps } from '../formats/gaps.ts'
import type { Mapping } from '../formats/generic/mapping.ts'
import { startDeduplication, startScannerOrder } from '../formats/identity/deduplicate.ts'
import { sha1 } from '../formats/identity/fingerprints.ts'
import { startProblems } from '../formats/problems/problems.ts'
import { startTally, type Tally } from '../formats/problems/tally.ts'
import type { MergedFinding, Report, ReportFinding, Scan, SkippedFinding } from '../formats/report.ts'
import type { IsImageKnown, OpenedReport, OpenOptions, ReportFormat, ReportHeader } from '../formats/report-format.ts'
import { unsupportedText } from '../formats/unsupported.ts'
import { type Document, type DocumentContext, type DocumentLimits, type Item, openDocument } from './document.ts'
import { type OpenBytes, openText, sourceLimits } from './source.ts'
import { startSuppressedFindings } from './suppressed-findings.ts'
import { Unreadable } from './unreadable.ts'

export interface ReadOptions {
  /** Project of the import; the uuids of findings depend on it. */
  projectId: number
  /** Report type that the sender declares. The report must not contradict it. */
  reportType?: ReportType | undefined
  /** Rejects a report that violates its format anywhere; otherwise invalid entries are skipped. */
  strict?: boolean | undefined
  /** Whether the sender declares the scan as partial; absent: the report must state it. */
  isPartial?: boolean | undefined
  /** Whether suppressed entries are findings; otherwise they are skipped. */
  readsSuppressed?: boolean | undefined
  isImageKnown?: IsImageKnown | undefined
  /** Names the fields of a generic report. */
  mapping?: Mapping | undefined
  limits?: DocumentLimits
}

/** A report that is being read. Its findings are streamed; the outcome is available afterwards. */
export interface Reading {
  header: ReportHeader
  /** Dependencies that the report lists; undefined if it does not list any. */
  inventory: ReportedInventory | undefined
  /** Yields the findings in file order, without duplicates. Throws `Unreadable` at the first invalid byte. */
  batches: () => AsyncGenerator<ReportFinding[]>
  /** Complete after the last batch. */
  outcome: () => Outcome
}

interface ReportedInventory {
  /** See `Inventory.source`. */
  source: string
  dependencies: readonly ReportedDependency[]
}

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

/**
 * Starts reading a scanner report of any supported format, or returns the problems if it is unreadable. The file is
 * read several times in chunks, and the reader yields to the event loop in between.
 */
export async function readReport(
  open: OpenBytes,
  options: ReadOptions,
): Promise<{ reading: Reading } | { problems: ReportProblem[] }> {
  try {
    const document = openDocument(open, options.limits)
    const root = await document.survey()
    const format = formatOf(root, options)
    if (!format) return { problems: [unknownFormat(root)] }
    const { items, parts = [], omits = [] } = format
    const context = await document.context([...items, ...parts, ...omits])
    const tally = startTally()
    for (const warning of context.rest.warnings) tally.add(warning, '')
    const opening = { ...options, tally, gaps: startGaps(), scoreOf: loadScores() }
    if (options.isPartial) opening.gaps.add({}, 'its sender says that the scan was partial', '')
    const opened = format.open(context, opening)
    if (!('header' in opened)) return opened

    const violations = options.strict ? await findViolations(document, format, opened) : []
    const inventory = violations.length === 0 ? await readInventory(document, format, opened, tally) : undefined
    return violations.length > 0
      ? { problems: violations }
      : {
          reading: startReading(document, format, opened, {
            ...opening,
            inventory,
            losers: await findDuplicates(document, format, context, opening),
          }),
        }
  } catch (error) {
    if (error instanceof Unreadable) return { problems: [await named(error, open, options)] }
    throw error
  }
}

/** Replaces a JSON syntax error by the name of the unsupported format, if the text is recognised. */
async function named({ problem }: Unreadable, open: OpenBytes, { limits }: ReadOptions): Promise<ReportProblem> {
  if (problem.type !== 'ParsingError') return problem
  try {
    let start = ''
    for await (const chunk of openText(open, limits ?? sourceLimits)) {
      start += chunk.subarray(0, maxStart).toString('latin1')
      if (start.length >= maxStart) break
    }
    return unsupportedText(start) ?? problem
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return problem
  }
}

const maxStart = 16 * 1024

async function findViolations(
  document: Document,
  format: ReportFormat,
  opened: OpenedReport,
): Promise<ReportProblem[]> {
  const problems = startProblems()
  problems.add(opened.problems)
  for await (const item of document.items(format.items)) problems.add(checkItem(opened, item))
  const { check } = opened.inventory ?? {}
  if (check) {
    for await (const item of document.items(format.parts ?? [])) problems.add(checkItem({ check }, item))
  }
  return problems.all()
}

function checkItem(opened: Pick<OpenedReport, 'check'>, item: Item): ReportProblem[] {
  if (item.json) return opened.check(item.json.value, item)
  return [{ type: 'Schema', message: tooLargeEntry, pointer: item.pointer }]
}

const tooLargeEntry = 'the entry is larger than this server reads'

/** Number of findings in a batch. Small, because each garbage collection copies the findings of an unfinished batch. */
const batchSize = 5
/** Maximum size of the findings in a batch, because single entries may be large. */
const batchCharacters = 2 * 1024 * 1024

interface ReadingOptions extends Pick<Reading, 'inventory'> {
  tally: Tally
  gaps: Gaps
  losers: ReadonlyMap<string, string> | undefined
}

/** Reads the dependencies that the report lists, in a pass before the findings, which may refer to them. */
async function readInventory(
  document: Document,
  { parts = [] }: ReportFormat,
  { inventory }: OpenedReport,
  tally: Tally,
): Promise<ReportedInventory | undefined> {
  if (!inventory) return undefined
  const slice = startTimeSlice()
  for await (const item of document.items(parts)) {
    const entry = objectOf(item.json?.value)
    if (!entry) tally.add('A listed component cannot be read', item.pointer)
    else inventory.read(entry, item)
    if (slice.isOver()) await slice.next()
  }
  return { source: storedSource(inventory.source), dependencies: inventory.list() }
}

function startReading(
  document: Document,
  format: ReportFormat,
  opened: OpenedReport,
  { tally, gaps, losers, inventory }: ReadingOptions,
): Reading {
  const problems = startProblems()
  problems.add(opened.problems)
  const counts = { read: 0, merged: 0, skipped: 0 }
  const skipped: SkippedFinding[] = []
  const merged: MergedFinding[] = []
  const suppressed = startSuppressedFindings(losers !== undefined)
  let skippedSuppressed = 0

  async function* batches(): AsyncGenerator<ReportFinding[]> {
    const repeats = startDeduplication(losers)
    let batch: ReportFinding[] = []
    let characters = 0
    const slice = startTimeSlice()
    for await (const item of document.items(format.items)) {
      if (item.isLarge) await setImmediate()
      if (item.json) for (const warning of item.json.warnings) tally.add(warning, item.pointer)
      problems.add(checkItem(opened, item))
      if (item.isLarge) await setImmediate()
      await prepare(opened, item)
      for (const made of readItem(opened, item)) {
        counts.read++
        if ('uuid' in made) {
          const repeat = repeats.keptFor(made)
          if (!repeat) {
            batch.push(made)
            characters += made.rawMetadata.length
            suppressed.kept(made)
          } else {
            suppressed.merged(made, repeat)
            if (++counts.merged <= maxListed) merged.push(repeat)
          }
        } else {
          if (!made.isSettled) addGap(gaps, opened, item, made)
          if (made.isSuppressed) skippedSuppressed++
          const { pointer, reason } = made
          if (++counts.skipped <= maxListed) skipped.push({ pointer, reason })
        }
        if (batch.length >= batchSize || characters >= batchCharacters) {
          yield batch
          batch = []
          characters = 0
        }
        if (slice.isOver()) await slice.next()
      }
    }
    if (batch.length > 0) yield batch
  }

  return {
    header: opened.header,
    inventory,
    batches,
    outcome: () => ({
      counts,
      artifact: opened.artifact?.(),
      scannedFiles: opened.scannedFiles,
      warnings: [...problems.all(), ...opened.warnings, ...tally.warnings(), ...remarksOf(opened.header.scan)],
      gaps: gaps.all(),
      skipped,
      skippedSuppressed,
      unsuppressed: suppressed.unsuppressed(),
      merged,
    }),
  }
}

function addGap(gaps: Gaps, { scopesOf }: OpenedReport, item: Item, { pointer, reason }: SkippedFinding): void {
  for (const scope of scopesOf?.(item) ?? [{}]) gaps.add(scope, `an entry cannot be read (${reason})`, pointer)
}

const maxListed = 1000
const maxRemarks = 100
const maxRemark = 500

/** Returns warnings and errors that the scanner reports, for example that it could not read a file. */
function remarksOf({ messages }: Scan): ReportProblem[] {
  const said = groupBy(
    messages.filter(({ level }) => level !== 'info'),
    ({ level, value }) =>
      shorten(`${level === 'fatal' ? 'The scanner reports an error' : 'The scanner warns'}: ${value}`, maxRemark),
  )
  return [...said].slice(0, maxRemarks).map(([text, { length }]) => {
    return { type: 'Scanner', message: length === 1 ? text : `${text} (${length} times)`, pointer: '' }
  })
}

/** Finds duplicates in an extra pass, for formats in which a later entry may take precedence over an earlier one. */
async function findDuplicates(
  document: Document,
  format: ReportFormat,
  context: DocumentContext,
  options: OpenOptions,
): Promise<ReadonlyMap<string, string> | undefined> {
  const opened = format.open(context, { ...options, tally: startTally(), gaps: startGaps() })
  if (!('header' in opened) || !opened.mixesScanners) return undefined
  const order = startScannerOrder()
  const slice = startTimeSlice()
  for await (const item of document.items(format.items)) {
    await prepare(opened, item)
    for (const made of readItem(opened, item)) {
      if ('uuid' in made) order.add(made)
      if (slice.isOver()) await slice.next()
    }
  }
  return await order.duplicates()
}

async function prepare(opened: OpenedReport, { json }: Item): Promise<void> {
  const entry = opened.prepare && objectOf(json?.value)
  if (entry) await opened.prepare?.(entry)
}

function readItem(opened: OpenedReport, item: Item): Iterable<ReportFinding | SkippedFinding> {
  const { pointer, json } = item
  if (!json) return [{ pointer, reason: tooLargeEntry }]
  const entry = objectOf(json.value)
  return entry ? opened.read(entry, item) : [{ pointer, reason: 'it is not an object' }]
}

/** Reads a whole report into memory. */
export async function readWholeReport(
  open: OpenBytes,
  options: ReadOptions,
): Promise<{ report: Report } | { problems: ReportProblem[] }> {
  const read = await readReport(open, options)
  if (!('reading' in read)) return read
  const { header, batches, outcome } = read.reading
  try {
    const findings: ReportFinding[] = []
    for await (const batch of batches()) findings.push(...batch)
    return { report: { ...header, scanner: header.scanner ?? findings[0]?.scanner, findings, ...outcome() } }
  } catch (error) {
    if (error instanceof Unreadable) return { problems: [error.problem] }
    throw error
  }
}

const maxSource = 400

/** Returns a source whose length an index permits, and which still differs from every other source. */
const storedSource = (source: string): string =>
  source.length <= maxSource ? source : `${source.slice(0, maxSource).toWellFormed()} ${sha1(source)}`
