import type { ReportProblem } from '../../../../platform/failure.ts'
import type { Confidence } from '../../../findings/scales.ts'
import type { DocumentContext } from '../../reader/document.ts'
import { type FindingDraft, finishFinding } from '../draft.ts'
import { checkoutPath } from '../fields/checkout-path.ts'
import { type IdentifierReader, startIdentifiers } from '../fields/identifiers.ts'
import { gradeOn, listOf, objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { linesOf } from '../fields/line-numbers.ts'
import { severityWords } from '../fields/severity-words.ts'
import { weaknessIds } from '../fields/vulnerability-ids.ts'
import type { Gaps } from '../gaps.ts'
import { chooseType, plainScan, scannerOf, toolHeader } from '../header.ts'
import { type Check, findProblems, integer, list, object, text } from '../problems/checks.ts'
import type { JsonObject, Scan } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'

/** JSON reports of Bandit, a linter for Python. */
export const bandit: ReportFormat = {
  name: 'bandit',
  recognises: (root) => {
    const object = objectOf(root)
    return object !== undefined && ['results', 'metrics', 'generated_at'].every((key) => key in object)
  },
  items: [['results', '*']],
  open,
}

const scanner = scannerOf('bandit', 'Bandit', 'PyCQA', undefined)

function open(context: DocumentContext, options: OpenOptions): OpenedReport | { problems: ReportProblem[] } {
  const root = objectOf(context.rest.value) ?? {}
  const problems = findProblems(reportCheck, root)
  if (!Array.isArray(root.results)) return { problems }
  const chosen = chooseType('Bandit', options.reportType, 'sast', ['sast'])
  if ('problems' in chosen) return chosen
  const files = Object.keys(objectOf(root.metrics) ?? {}).filter((file) => file !== '_totals')
  addGaps(root, files.length, options.gaps)
  const identifiersOf = startIdentifiers(() => {})
  return {
    header: toolHeader({ format: 'bandit', version: '', ...chosen, scanner, scan: scanOf(root) }),
    problems,
    warnings: [],
    mixesScanners: false,
    scannedFiles: files.length,
    check: (value, { index }) => findProblems(resultCheck, value, ['results', index]),
    read: (entry, { pointer }) => [finishFinding(draftOf(entry, identifiersOf), pointer, options)],
  }
}

/** Returns the scan with the files that could not be read as messages. */
function scanOf(root: JsonObject): Scan {
  const messages = objectsOf(root.errors).map(({ filename, reason }) => ({
    level: 'warn',
    value: `${textOf(filename) ?? 'a file'}: ${textOf(reason) ?? 'an error without a reason'}`,
  }))
  return { ...plainScan(root.generated_at), messages }
}

/** Adds a gap for each file that could not be scanned, and one for everything if no file was. */
function addGaps({ errors = [] }: JsonObject, files: number, gaps: Gaps): void {
  if (!Array.isArray(errors)) gaps.add({}, 'its errors cannot be read', '/errors')
  for (const [index, error] of listOf(errors).entries()) {
    const name = textOf(objectOf(error)?.filename)
    const scope = name === undefined ? {} : { file: checkoutPath(name) }
    gaps.add(scope, 'a file could not be scanned', `/errors/${index}`)
  }
  if (files === 0) gaps.add({}, 'no file was scanned', '/metrics')
}

function draftOf(result: JsonObject, identifiersOf: IdentifierReader): FindingDraft {
  const test = textOf(result.test_id) ?? ''
  const [first, ...others] = listOf(result.line_range)
  const url = textOf(result.more_info)
  return {
    reportType: 'sast',
    scanner,
    identifiers: identifiersOf(
      [
        { type: 'bandit_test_id', name: `Bandit Test ID ${test}`, value: test, url },
        ...weaknessIds([objectOf(result.issue_cwe)?.id]),
      ],
      '',
    ),
    location: {
      file: checkoutPath(textOf(result.filename) ?? ''),
      ...linesOf(result.line_number ?? first, others.at(-1) ?? result.line_number ?? first),
    },
    name: textOf(result.issue_text),
    description: textOf(result.issue_text),
    severity: gradeOn(severityWords, result.issue_severity) ?? 'unknown',
    confidence: gradeOn(confidences, result.issue_confidence),
    links: url === undefined ? [] : [{ url }],
    codeExtract: withoutNumbers(textOf(result.code)),
    doubt: doubtOf(result),
    rawMetadata: JSON.stringify(result),
    metadataVersion: '',
  }
}

/** Removes the line numbers that Bandit writes before each line of code. */
const withoutNumbers = (code: string | undefined): string | undefined => code?.replace(/^\d+ /gm, '')

function doubtOf({ test_id, filename, line_number }: JsonObject): string | undefined {
  if (!textOf(test_id)) return 'it names no test'
  if (!textOf(filename)) return 'it names no file'
  return typeof line_number === 'number' ? undefined : 'its line cannot be read'
}

const confidences: ReadonlyMap<string, Confidence> = new Map([
  ['high', 'high'],
  ['medium', 'medium'],
  ['low', 'low'],
])

const someText = text({ min: 1 })

const resultCheck: Check = object({
  required: ['test_id', 'filename', 'line_number', 'issue_text', 'issue_severity'],
  properties: {
    test_id: someText,
    filename: someText,
    line_number: integer(),
    line_range: list(integer()),
    issue_text: text(),
    issue_severity: someText,
  },
})

const reportCheck: Check = object({
  required: ['results'],
  properties: { results: list(() => {}), errors: list(() => {}), metrics: object({}) },
})
