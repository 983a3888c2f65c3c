import type { ReportProblem } from '../../../../platform/failure.ts'
import type { ReportType } from '../../../findings/scales.ts'
import type { DocumentContext, Item } from '../../reader/document.ts'
import { type FindingDraft, finishFinding } from '../draft.ts'
import { checkoutPath } from '../fields/checkout-path.ts'
import { type IdentifierReader, startIdentifiers } from '../fields/identifiers.ts'
import { gradeOn, listOf, objectOf, textOf } from '../fields/json-fields.ts'
import { linesOf, unknownCommit } from '../fields/line-numbers.ts'
import { severityWords } from '../fields/severity-words.ts'
import { chooseType, plainScan, scannerOf, toolHeader } from '../header.ts'
import { type Check, findProblems, object, text } from '../problems/checks.ts'
import type { JsonObject } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'
import { places, readSuppressed, type SuppressedEntry } from '../suppressed.ts'

const failed = ['results', 'failed_checks', '*']
const skipped = ['results', 'skipped_checks', '*']

/** JSON reports of Checkov: the checks of one framework, or a list with several. */
export const checkov: ReportFormat = {
  name: 'checkov',
  recognises: (root) => {
    const run = objectOf(Array.isArray(root) ? root[0] : root)
    return run !== undefined && 'check_type' in run && 'results' in run
  },
  items: [failed, skipped, ['*', ...failed], ['*', ...skipped]],
  open,
}

function open(context: DocumentContext, options: OpenOptions): OpenedReport | { problems: ReportProblem[] } {
  const root = context.rest.value
  const isList = Array.isArray(root)
  const runs = isList ? root : [root]
  const problems = runs.flatMap((run, index) => findProblems(runCheck, run, isList ? [index] : []))
  const types = new Set(runs.map((run) => typeOf(objectOf(run) ?? {})))
  const [fallback = 'sast'] = types
  const chosen = chooseType('Checkov', options.reportType, fallback, ['sast', 'secret_detection'])
  if ('problems' in chosen) return chosen
  const version = textOf(objectOf(objectOf(runs[0])?.summary)?.checkov_version) ?? ''
  const scanner = scannerOf('checkov', 'Checkov', 'Palo Alto Networks', version)
  for (const [index, run] of runs.entries()) addGaps(objectOf(run) ?? {}, isList ? `/${index}` : '', options)
  const reading = { version, scanner, identifiersOf: startIdentifiers(() => {}) }
  const typeOfItem = ({ list }: Item): ReportType =>
    options.reportType ?? typeOf(objectOf(runs[isList ? Number(list.split('/')[1]) : 0]) ?? {})
  return {
    header: {
      ...toolHeader({ format: 'checkov', version, ...chosen, scanner, scan: plainScan() }),
      reportTypes: options.reportType ? [options.reportType] : [...types],
    },
    problems,
    warnings: [],
    mixesScanners: false,
    check: (value, { pointer }) => findProblems(entryCheck, value, pointer.slice(1).split('/')),
    read: (entry, item) => {
      const { pointer } = item
      if (item.path.at(-2) === 'skipped_checks') {
        return [
          readSuppressed(pointer, 'it is suppressed in the source (checkov:skip)', options, () =>
            isPackage(entry) ? undefined : suppressedEntry(entry, draftOf(entry, typeOfItem(item), reading)),
          ),
        ]
      }
      if (isPackage(entry)) return [{ pointer, reason: 'it is about a package; send the SARIF of Checkov for those' }]
      return [finishFinding(draftOf(entry, typeOfItem(item), reading), pointer, options)]
    },
  }
}

const isPackage = ({ vulnerability_details }: JsonObject): boolean =>
  vulnerability_details !== undefined && vulnerability_details !== null

const suppressedEntry = ({ check_result }: JsonObject, draft: FindingDraft): SuppressedEntry => ({
  draft,
  source: places.inSource,
  justification: objectOf(check_result)?.suppress_comment,
})

const typeOf = ({ check_type }: JsonObject): ReportType => (check_type === 'secrets' ? 'secret_detection' : 'sast')

/** Adds a gap for each file that Checkov could not parse. */
function addGaps({ results }: JsonObject, pointer: string, { gaps }: OpenOptions): void {
  const { parsing_errors: errors = [], failed_checks } = objectOf(results) ?? {}
  if (!Array.isArray(failed_checks)) gaps.add({}, 'it has no list of failed checks', `${pointer}/results`)
  for (const [index, file] of listOf(errors).entries()) {
    const scope = textOf(file) === undefined ? {} : { file: inRepository(String(file)) }
    gaps.add(scope, 'a file could not be parsed', `${pointer}/results/parsing_errors/${index}`)
  }
}

/** Checkov writes paths in the scanned folder with a slash at their beginning. */
const inRepository = (path: string): string => checkoutPath(path).replace(/^\/+/, '')

interface Reading {
  version: string
  scanner: ReturnType<typeof scannerOf>
  identifiersOf: IdentifierReader
}

function draftOf(
  entry: JsonObject,
  reportType: ReportType,
  { version, scanner, identifiersOf }: Reading,
): FindingDraft {
  const check = textOf(entry.check_id) ?? ''
  const file = inRepository(textOf(entry.file_path) ?? '')
  const resource = textOf(entry.resource) ?? ''
  const [first, last] = listOf(entry.file_line_range)
  const url = textOf(entry.guideline)
  const isSecret = reportType === 'secret_detection'
  return {
    reportType,
    scanner,
    identifiers: identifiersOf([{ type: 'checkov_rule_id', name: check, value: check, url }], ''),
    location: { file, ...linesOf(first, last), ...(isSecret && { commit: unknownCommit }) },
    name: textOf(entry.check_name),
    description:
      resource && !isSecret ? `${textOf(entry.check_name) ?? check} (${resource})` : textOf(entry.check_name),
    solution: url && `See ${url}`,
    // Without an account of its vendor, Checkov states no severity.
    severity: gradeOn(severityWords, entry.severity) ?? (isSecret ? 'critical' : 'unknown'),
    links: url === undefined ? [] : [{ url }],
    fingerprints: resource ? [{ name: 'resource', value: `${check}:${file}:${resource}` }] : [],
    codeExtract: isSecret ? undefined : codeOf(entry.code_block),
    doubt: doubtOf(entry),
    rawMetadata: JSON.stringify(entry),
    metadataVersion: version,
  }
}

/** Joins pairs of a line number and a line. */
function codeOf(block: unknown): string | undefined {
  const lines = listOf(block).flatMap((pair) => textOf(listOf(pair)[1]) ?? [])
  return lines.length > 0 ? lines.join('') : undefined
}

function doubtOf({ check_id, file_path }: JsonObject): string | undefined {
  if (!textOf(check_id)) return 'it names no check'
  return textOf(file_path) ? undefined : 'it names no file'
}

const someText = text({ min: 1 })

const entryCheck: Check = object({
  required: ['check_id', 'check_name', 'file_path'],
  properties: { check_id: someText, check_name: text(), file_path: someText },
})

const runCheck: Check = object({ required: ['check_type', 'results'], properties: { results: object({}) } })
