import type { ReportProblem } from '../../../../platform/failure.ts'
import { type ReportType, reportTypes } from '../../../findings/scales.ts'
import type { DocumentContext } from '../../reader/document.ts'
import { finishFinding } from '../draft.ts'
import { startIdentifiers } from '../fields/identifiers.ts'
import { listOf, objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { plainScan } from '../header.ts'
import { findProblems } from '../problems/checks.ts'
import type { JsonObject, Scan, Scanner } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'
import { readSuppressed } from '../suppressed.ts'
import { logCheck, resultCheck } from './check.ts'
import { addGaps } from './gaps.ts'
import { draftOf, isSuppressed, reasonToSkip, suppressedEntry } from './result.ts'
import { type Run, startRun, typesOfRun } from './run.ts'

/** SARIF 2.1.0 logs of any tool. */
export const sarif: ReportFormat = {
  name: 'sarif',
  recognises: (root) => {
    const object = objectOf(root)
    if (!object) return false
    const isNamed = object.version === '2.1.0' && !('scan' in object) && !('vulnerabilities' in object)
    return (
      'runs' in object || isNamed || (typeof object.$schema === 'string' && /sarif/i.test(object.$schema.slice(0, 500)))
    )
  },
  items: [['runs', '*', 'results', '*']],
  open,
}

function open(context: DocumentContext, options: OpenOptions): OpenedReport | { problems: ReportProblem[] } {
  const root = objectOf(context.rest.value) ?? {}
  if (root.version !== '2.1.0') {
    const version = JSON.stringify(root.version)?.slice(0, 40) ?? 'absent'
    const message = `The version of SARIF is ${version}; only "2.1.0" can be read`
    return { problems: [{ type: 'Schema', message, pointer: '/version' }] }
  }
  const problems = findProblems(logCheck, root)
  if (!Array.isArray(root.runs)) return { problems }

  const identifiersOf = startIdentifiers((at) =>
    options.tally.add('The address of an identifier is no web address', at),
  )
  const runs: Run[] = root.runs.map((run) => startRun(objectOf(run) ?? {}, { ...options, identifiersOf }))
  const scanners = distinctScanners(runs)
  addGaps(root, runs, options.gaps)
  const types = [...new Set(runs.flatMap((run) => typesOfRun(run)))]
  const reportType: ReportType = options.reportType ?? types[0] ?? 'sast'
  return {
    header: {
      format: 'sarif',
      version: '2.1.0',
      reportType,
      reportTypes: [reportType, ...reportTypes.filter((type) => type !== reportType && types.includes(type))],
      scanner: scanners[0],
      scanners,
      analyzer: undefined,
      scan: scanOf(root),
    },
    problems,
    warnings: outsideFiles(root),
    mixesScanners: scanners.length > 1,
    scopesOf: ({ list }) => [{ scanner: runs[runIndex(list)]?.scanner.externalId }],
    check: (value, { list, index }) => findProblems(resultCheck, value, ['runs', runIndex(list), 'results', index]),
    read: (entry, { pointer, list }) => {
      const run = runs[runIndex(list)]
      const skip = reasonToSkip(entry)
      if (skip) return [{ pointer, reason: skip, isSettled: true }]
      if (isSuppressed(entry)) {
        const reason = 'it is suppressed, and the suppression is accepted'
        return [readSuppressed(pointer, reason, options, () => run && suppressedEntry(entry, run, pointer))]
      }
      if (!run) return [{ pointer, reason: 'it belongs to no run' }]
      return [finishFinding(draftOf(entry, run, pointer), pointer, options)]
    },
  }
}

/** Returns the index of the run in a pointer such as `/runs/3/results`. */
const runIndex = (list: string): number => Number(list.split('/')[2])

/** Returns the distinct scanners, and makes equal scanners of the runs the same object. */
function distinctScanners(runs: Run[]): Scanner[] {
  const known = new Map<string, Scanner>()
  for (const run of runs) {
    const key = JSON.stringify([run.scanner.externalId, run.scanner.name, run.scanner.vendor])
    const first = known.get(key) ?? run.scanner
    known.set(key, first)
    run.scanner = first
  }
  return [...known.values()]
}

/** Returns the scan, failed if any run failed. */
function scanOf(root: JsonObject): Scan {
  const invocations = objectsOf(root.runs).flatMap((run) => objectsOf(run.invocations))
  const notifications = invocations.flatMap((invocation) => objectsOf(invocation.toolExecutionNotifications))
  const failed = invocations.some(({ executionSuccessful }) => executionSuccessful === false)
  return {
    ...plainScan(invocations.map(({ endTimeUtc }) => endTimeUtc).find(Boolean)),
    status: failed ? 'failure' : 'success',
    messages: notifications.slice(0, maxMessages).flatMap(({ level, message }) => {
      const value = textOf(objectOf(message)?.text)
      return value ? [{ level: levels.get(String(level)) ?? 'warn', value }] : []
    }),
  }
}

const maxMessages = 100
const levels: ReadonlyMap<string, string> = new Map([
  ['error', 'fatal'],
  ['warning', 'warn'],
  ['note', 'info'],
  ['none', 'info'],
])

/** Warns about content outside the runs, which is ignored. External files are never fetched. */
function outsideFiles(root: JsonObject): ReportProblem[] {
  const inline = listOf(root.inlineExternalProperties).length > 0
  const apart = {
    type: 'Parsing',
    message: 'What is said outside of the runs is not read',
    pointer: '/inlineExternalProperties',
  }
  return [...(inline ? [apart] : []), ...partsElsewhere(root)]
}

function partsElsewhere(root: JsonObject): ReportProblem[] {
  const at = objectsOf(root.runs).findIndex(({ externalPropertyFileReferences }) =>
    objectOf(externalPropertyFileReferences),
  )
  if (at < 0) return []
  const message = 'A part of this run is said to be in another file, which is not read'
  return [{ type: 'Parsing', message, pointer: `/runs/${at}/externalPropertyFileReferences` }]
}
