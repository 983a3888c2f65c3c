import { setImmediate } from 'node:timers/promises'
import type { ReportProblem } from '../../../platform/failure.ts'
import { groupBy } from '../../group-by.ts'
import type { ReportType } from '../../vulnerabilities/scales.ts'
import { loadScores } from '../formats/cvss-score.ts'
import { startDeduplication, startScannerOrder } from '../formats/deduplicate.ts'
import { formatOf, unknownFormat } from '../formats/formats.ts'
import { type Gaps, startGaps } from '../formats/gaps.ts'
import { objectOf } from '../formats/json-fields.ts'
import { startProblems } from '../formats/problems.ts'
import type { MergedFinding, Report, ReportFinding, Scan, SkippedFinding } from '../formats/report.ts'
import type { IsImageKnown, OpenedReport, OpenOptions, ReportFormat, ReportHeader } from '../formats/report-format.ts'
import { shorten } from '../formats/shorten.ts'
import { startTally, type Tally } from '../formats/tally.ts'
import { unsupportedText } from '../formats/unsupported.ts'
import { type Document, type DocumentContext, type DocumentLimits, type Item, openDocument } from './document.ts'
import { type OpenBytes, openText, sourceLimits } from './source.ts'
import { Unreadable } from './unreadable.ts'

export interface ReadOptions {
  /** The uuid of a finding depends on its project. */
  projectId: number
  /** What the sender says the report is; the report may say it too, but not otherwise. */
  reportType?: ReportType | undefined
  /** Refuses a report that violates its format anywhere, instead of reading what can be read. */
  strict?: boolean | undefined
  /** What the sender says of the scan: that it looked at a part only, or at everything. Absent: the report must say. */
  isPartial?: boolean | undefined
  isImageKnown?: IsImageKnown | undefined
  limits?: DocumentLimits
}

/** A report that is being read: its findings pass by, and what else there is to say is known when they have passed. */
export interface Reading {
  header: ReportHeader
  /** Findings in the order of the file, without repeats. Throws `Unreadable` where the file ends to be a report. */
  batches: () => AsyncGenerator<ReportFinding[]>
  /** Complete when the batches have ended. */
  outcome: () => Outcome
}

/** What is known of a report when its entries have been read; of each list the first, as many as anybody reads. */
export type Outcome = Pick<Report, 'counts' | 'artifact' | 'scannedFiles' | 'warnings' | 'gaps' | 'skipped' | 'merged'>

/**
 * Begins to read a scanner's report of any format, or says why it cannot be read at all. The file is read several times,
 * a piece at a time, and other requests have their turn in between.
 */
export async function readReport(
  open: OpenBytes,
  options: ReadOptions,
): Promise<{ reading: Reading } | { problems: ReportProblem[] }> {
  try {
    const document = openDocument(open, options.limits)
    const root = await document.survey()
    const format = formatOf(root, options.reportType)
    if (!format) return { problems: [unknownFormat(root)] }
    const context = await document.context(format.items)
    const tally = startTally()
    for (const warning of context.rest.warnings) tally.add(warning, '')
    const opening = { ...options, tally, gaps: startGaps(), scoreOf: loadScores() }
    if (options.isPartial) opening.gaps.add({}, 'its sender says that the scan was partial', '')
    const opened = format.open(context, opening)
    if (!('header' in opened)) return opened

    const violations = options.strict ? await findViolations(document, format, opened) : []
    return violations.length > 0
      ? { problems: violations }
      : {
          reading: startReading(document, format, opened, {
            ...opening,
            losers: await findLosers(document, format, context, opening),
          }),
        }
  } catch (error) {
    if (error instanceof Unreadable) return { problems: [await named(error, open, options)] }
    throw error
  }
}

/** Says what the file is instead of where it stops to be JSON, if that is known. */
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
  return problems.all()
}

function checkItem(opened: OpenedReport, item: Item): ReportProblem[] {
  if (item.json) return opened.check(item.json.value, item)
  return [{ type: 'Schema', message: tooLargeEntry, pointer: item.pointer }]
}

const tooLargeEntry = 'the entry is larger than this server reads'

/** So few that they are garbage before they are old. */
const batchSize = 50
/** What one batch holds of the file's text; entries may be large. */
const batchCharacters = 2 * 1024 * 1024
/** How long nobody else may have a turn while one entry is made into findings. */
const maxTurnMs = 8

function startReading(
  document: Document,
  format: ReportFormat,
  opened: OpenedReport,
  { tally, gaps, losers }: { tally: Tally; gaps: Gaps; losers: ReadonlyMap<string, string> | undefined },
): Reading {
  const problems = startProblems()
  problems.add(opened.problems)
  const counts = { read: 0, merged: 0, skipped: 0 }
  const skipped: SkippedFinding[] = []
  const merged: MergedFinding[] = []

  async function* batches(): AsyncGenerator<ReportFinding[]> {
    const repeats = startDeduplication(losers)
    let batch: ReportFinding[] = []
    let characters = 0
    for await (const item of document.items(format.items)) {
      if (item.isLarge) await setImmediate()
      if (item.json) for (const warning of item.json.warnings) tally.add(warning, item.pointer)
      problems.add(checkItem(opened, item))
      if (item.isLarge) await setImmediate()
      await prepare(opened, item)
      let since = performance.now()
      for (const made of readItem(opened, item)) {
        counts.read++
        if (!('uuid' in made)) {
          if (!made.isSettled) addGap(gaps, opened, item, made)
          const { pointer, reason } = made
          if (++counts.skipped <= maxListed) skipped.push({ pointer, reason })
          continue
        }
        const repeat = repeats.winnerOf(made)
        if (repeat) {
          if (++counts.merged <= maxListed) merged.push(repeat)
        } else {
          batch.push(made)
          characters += made.rawMetadata.length
        }
        if (batch.length >= batchSize || characters >= batchCharacters) {
          yield batch
          batch = []
          characters = 0
        } else if (performance.now() - since < maxTurnMs) continue
        await setImmediate()
        since = performance.now()
      }
    }
    if (batch.length > 0) yield batch
  }

  return {
    header: opened.header,
    batches,
    outcome: () => ({
      counts,
      artifact: opened.artifact?.(),
      scannedFiles: opened.scannedFiles,
      warnings: [...problems.all(), ...opened.warnings, ...tally.warnings(), ...remarksOf(opened.header.scan)],
      gaps: gaps.all(),
      skipped,
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

/** What the scanner wants whoever ran it to know: that it could not read a file, and so found nothing in it. */
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

/** Reads everything once beforehand where that decides which of two equal findings stays. */
async function findLosers(
  document: Document,
  format: ReportFormat,
  context: DocumentContext,
  options: OpenOptions,
): Promise<ReadonlyMap<string, string> | undefined> {
  const opened = format.open(context, { ...options, tally: startTally(), gaps: startGaps() })
  if (!('header' in opened) || !opened.mixesScanners) return undefined
  const order = startScannerOrder()
  for await (const item of document.items(format.items)) {
    await prepare(opened, item)
    for (const made of readItem(opened, item)) if ('uuid' in made) order.see(made)
  }
  return await order.losers()
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

/** Reads all of a report that fits into memory. */
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
