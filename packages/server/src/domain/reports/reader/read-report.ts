import { hash } from 'node:crypto'
import type { ReportProblem } from '../../../platform/failure.ts'
import { startTimeSlice } from '../../../platform/time-slice.ts'
import type { ReportedDependency } from '../../dependencies/dependency.ts'
import type { ReportType } from '../../findings/scales.ts'
import { loadScores } from '../formats/fields/cvss-score.ts'
import { objectOf } from '../formats/fields/json-fields.ts'
import { formatOf, unknownFormat } from '../formats/formats.ts'
import { startGaps } from '../formats/gaps.ts'
import type { Mapping } from '../formats/generic/mapping.ts'
import { startScannerOrder } from '../formats/identity/deduplicate.ts'
import { sha1 } from '../formats/identity/fingerprints.ts'
import { startProblems } from '../formats/problems/problems.ts'
import { startTally, type Tally } from '../formats/problems/tally.ts'
import type { Report, ReportFinding } from '../formats/report.ts'
import type { IsImageKnown, OpenedReport, OpenOptions, ReportFormat, ReportHeader } from '../formats/report-format.ts'
import { unsupportedText } from '../formats/unsupported.ts'
import type { FindEntry } from './cached-entries.ts'
import { type Document, type DocumentContext, type DocumentLimits, openDocument } from './document.ts'
import type { ItemPath } from './item-paths.ts'
import {
  checkItem,
  isCached,
  type Outcome,
  prepare,
  type ReadEntry,
  readItem,
  startReading,
  startRemarks,
} from './read-entries.ts'
import { type OpenBytes, openText, sourceLimits } from './source.ts'
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
  /** Hash of `OpenedReport.entryContext` and the project. */
  entryContext: string | undefined
  /**
   * Yields the findings in file order, without duplicates. Throws `Unreadable` at the first invalid byte. Does not read the
   * entries that are cached.
   */
  batches: (findCached?: FindEntry) => AsyncGenerator<ReadEntry[]>
  /** Complete after the last batch. */
  outcome: () => Outcome
}

interface ReportedInventory {
  /** See `Inventory.source`. */
  source: string
  dependencies: readonly ReportedDependency[]
}

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
    const found = (await readOverview(document, options)) ?? (await readInTwoPasses(document, options))
    if ('unknown' in found) return { problems: [unknownFormat(found.unknown)] }
    const { format, context } = found
    const remarks = startRemarks()
    const { tally, gaps } = remarks
    for (const warning of context.rest.warnings) tally.add(warning, '')
    const opening = { ...options, tally, gaps, scoreOf: loadScores() }
    if (options.isPartial) gaps.add({}, 'its sender says that the scan was partial', '')
    const opened = format.open(context, opening)
    if (!('header' in opened)) return opened

    const violations = options.strict ? await findViolations(document, format, opened) : []
    const inventory = violations.length === 0 ? await readInventory(document, format, opened, tally) : undefined
    return violations.length > 0
      ? { problems: violations }
      : {
          reading: {
            header: opened.header,
            inventory,
            entryContext: entryContextOf(opened, options),
            ...startReading(document, format, opened, {
              remarks,
              losers: await findDuplicates(document, format, context, opening),
            }),
          },
        }
  } catch (error) {
    if (error instanceof Unreadable) return { problems: [await named(error, open, options)] }
    throw error
  }
}

interface Found {
  format: ReportFormat
  context: DocumentContext
}

const pathsOf = ({ items, parts = [], omits = [] }: ReportFormat): ItemPath[] => [...items, ...parts, ...omits]

/** Reads the header of a report whose beginning shows its format. */
async function readOverview(document: Document, options: ReadOptions): Promise<Found | undefined> {
  let format: ReportFormat | undefined
  const overview = await document.overview((root) => {
    format = root === undefined ? undefined : formatOf(root, options)
    return format && pathsOf(format)
  })
  // What follows the beginning may show that it is another one.
  if (!overview || !format || formatOf(overview.root, options)?.name !== format.name) return undefined
  return { format, context: overview.context }
}

async function readInTwoPasses(document: Document, options: ReadOptions): Promise<Found | { unknown: unknown }> {
  const root = await document.survey()
  const format = formatOf(root, options)
  return format ? { format, context: await document.context(pathsOf(format)) } : { unknown: root }
}

/** Returns a hash, because the context may contain long texts. */
const entryContextOf = ({ entryContext }: OpenedReport, { projectId }: ReadOptions): string | undefined =>
  entryContext && hash('sha256', `${projectId} ${entryContext}`, 'base64url')

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
    for await (const batch of batches()) for (const entry of batch) if (!isCached(entry)) findings.push(entry)
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
