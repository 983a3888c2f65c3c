import type { ReportProblem } from '../../../../platform/failure.ts'
import type { DocumentContext } from '../../reader/document.ts'
import { type FindingDraft, finishFinding } from '../draft.ts'
import { type IdentifierReader, startIdentifiers } from '../fields/identifiers.ts'
import { objectOf, textOf } from '../fields/json-fields.ts'
import { linesOf, unknownCommit } from '../fields/line-numbers.ts'
import { chooseType, plainScan, scannerOf, toolHeader } from '../header.ts'
import { type Check, findProblems, object, scalar, text } from '../problems/checks.ts'
import type { JsonObject } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'

/** gitleaks JSON reports: a list, or null for no findings. Before version 8 the keys were different. */
export const gitleaks: ReportFormat = {
  name: 'gitleaks',
  recognises: (root) => {
    if (!Array.isArray(root)) return false
    if (root.length === 0) return true
    const first = objectOf(root[0])
    return first !== undefined && (('RuleID' in first && 'File' in first) || ('rule' in first && 'offender' in first))
  },
  items: [['*']],
  open,
}

const scanner = scannerOf('gitleaks', 'Gitleaks', 'Gitleaks', undefined)

function open(context: DocumentContext, options: OpenOptions): OpenedReport | { problems: ReportProblem[] } {
  const chosen = chooseType('gitleaks', options.reportType, 'secret_detection', ['secret_detection'])
  if ('problems' in chosen) return chosen
  const [first] = context.firsts.values()
  const version = first !== undefined && 'offender' in (objectOf(first) ?? {}) ? '7' : '8'
  addGaps(context, options)
  const identifiersOf = startIdentifiers(() => {})
  return {
    header: toolHeader({ format: 'gitleaks', version, ...chosen, scanner, scan: plainScan() }),
    problems: [],
    warnings: [],
    mixesScanners: false,
    check: (value, { index }) => findProblems(version === '8' ? entryCheck : oldEntryCheck, value, [index]),
    read: (entry, { pointer }) => [finishFinding(draftOf(entry, version, identifiersOf), pointer, options)],
  }
}

/** Adds gaps for null and an empty list, which other tools and failed scripts write too. */
function addGaps({ rest, firsts }: DocumentContext, { reportType, gaps }: OpenOptions): void {
  if (rest.value === null) gaps.add({}, 'the word null says nothing of what was scanned', '')
  else if (!reportType && firsts.size === 0) {
    gaps.add({}, 'an empty list may be of any tool; send report_type=secret_detection if gitleaks wrote it', '')
  }
}

/** Builds a finding. Version 7 has only the number of the line, so two secrets in one line are one finding. */
function draftOf(entry: JsonObject, version: string, identifiersOf: IdentifierReader): FindingDraft {
  const field = (name: string, old: string) => textOf(entry[version === '8' ? name : old])
  const rule = field('RuleID', 'rule') ?? ''
  const sha = field('Commit', 'commit')
  const file = field('File', 'file') ?? ''
  const lines = version === '8' ? linesOf(entry.StartLine, entry.EndLine) : linesOf(entry.lineNumber, entry.lineNumber)
  const about = field('Description', 'rule') ?? rule
  return {
    reportType: 'secret_detection',
    scanner,
    identifiers: identifiersOf([{ type: 'gitleaks_rule_id', name: `Gitleaks rule ID ${rule}`, value: rule }], ''),
    location: {
      file,
      ...lines,
      commit: {
        ...(sha === undefined ? unknownCommit : { sha }),
        ...textual('author', field('Author', 'author')),
        ...textual('date', field('Date', 'date')),
        ...textual('message', field('Message', 'commitMessage')),
      },
    },
    name: about,
    description: `The rule ${rule} of gitleaks found a secret in ${file}${sha ? `, commit ${sha}` : ''}.`,
    solution: 'Revoke the secret, put a new one where it cannot be read, and remove it from the history.',
    severity: 'critical',
    fingerprints: [{ name: 'Fingerprint', value: textOf(entry.Fingerprint) ?? '' }],
    doubt: doubtOf(entry, version),
    rawMetadata: JSON.stringify(entry),
    metadataVersion: version,
  }
}

function doubtOf(entry: JsonObject, version: string): string | undefined {
  if (!textOf(entry[version === '8' ? 'File' : 'file'])) return 'it names no file'
  const lines = version === '8' ? [entry.StartLine, entry.EndLine] : []
  return lines.every((line) => typeof line === 'number') ? undefined : 'its lines cannot be read'
}

const textual = (key: string, value: string | undefined): JsonObject => (value === undefined ? {} : { [key]: value })

const someText = text({ min: 1 })

const entryCheck: Check = object({
  required: ['RuleID', 'File', 'StartLine', 'EndLine'],
  properties: {
    RuleID: someText,
    File: text(),
    StartLine: scalar('integer'),
    EndLine: scalar('integer'),
    Commit: text(),
  },
})

const oldEntryCheck: Check = object({
  required: ['rule', 'file'],
  properties: { rule: someText, file: text(), commit: text() },
})
