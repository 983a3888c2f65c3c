import { wrongUsage } from '../../exit.ts'
import {
  type DismissalReason,
  dayOf,
  type FindingRecord,
  identifiersOf,
  type MappedFinding,
  severityOf,
  shorten,
  tagsOf,
  timeOf,
  webAddress,
} from '../findings/record.ts'
import { scannerOf } from '../findings/scanner.ts'

const states = ['detected', 'confirmed', 'resolved', 'dismissed'] as const
const reasons: readonly DismissalReason[] = [
  'acceptable_risk',
  'false_positive',
  'mitigating_control',
  'used_in_tests',
  'not_applicable',
]
const reportTypes = [
  'sast',
  'dependency_scanning',
  'container_scanning',
  'dast',
  'secret_detection',
  'coverage_fuzzing',
  'api_fuzzing',
  'cluster_image_scanning',
]

/** Maps a row with columns of Alcove's export, and `ID`, `File`, `Line`, `Package`, `Comment`, `Decided By`, `Decided At` and `URL`. */
export function mapRow(row: ReadonlyMap<string, string>, number: number): MappedFinding {
  const cell = (name: string): string | undefined => {
    const text = row
      .get(name)
      ?.trim()
      .replace(/^'(?=[=+\-@;])/, '')
      .replaceAll('\\n', '\n')
    return text === '' ? undefined : text
  }
  const name = cell('Vulnerability')
  if (!name) throw wrongUsage(`Row ${number} has no text in the column Vulnerability, which every row needs.`)
  const id = cell('ID') ?? cell('Vulnerability ID') ?? `row ${number}`
  const status = cell('Status') ?? 'detected'
  const state = states.find((known) => known === status.toLowerCase())
  const written = cell('Dismissal Reason')
  const reason = reasons.find((known) => known === written?.toLowerCase().replaceAll(' ', '_'))
  const until = cell('Dismissed Until')
  const type = cell('Tool')
  const record: FindingRecord = {
    id: shorten(id),
    name: shorten(name),
    url: webAddress(cell('URL')),
    description: cell('Details'),
    severity: severityOf(cell('Severity')),
    report_type: reportTypes.find((known) => known === type) ?? (cell('Package') ? 'dependency_scanning' : 'generic'),
    scanner: scannerOf(cell('Scanner Name') ?? 'unknown tool', 'CSV'),
    identifiers: identifiersOf([cell('CVE'), ...(cell('Other Identifiers')?.split(';') ?? []), cell('CWE')]),
    location: locationOf(cell),
    package_url: cell('Package URL'),
    state: state ?? 'detected',
    ...(state === 'dismissed' && { dismissal_reason: reason, dismissed_until: dayOf(until) }),
    comment: cell('Comment'),
    decided_at: timeOf(cell('Decided At')),
    decided_by: cell('Decided By'),
    assignee: cell('Assignee'),
    due_on: dayOf(cell('Due On')),
    tags: tagsOf(cell('Tags')?.split(',') ?? []),
    detected_at: timeOf(cell('Detected At')),
  }
  const notes = [
    ...(state ? [] : [`status “${status}” has no counterpart: is detected`]),
    ...(written && !reason ? [`reason “${written}” has no counterpart: has no reason`] : []),
    ...(until && !dayOf(until) ? [`end “${until}” is not a date: has no end`] : []),
    ...(type && !reportTypes.includes(type) ? [`tool “${type}” is not a type of report`] : []),
  ]
  return { id, status: [status, written].filter(Boolean).join(', '), record, notes }
}

function locationOf(cell: (name: string) => string | undefined): object {
  const file = cell('File')
  const line = Number(cell('Line') ?? 0)
  const name = cell('Package')
  if (name) return { ...(file && { file }), dependency: { package: { name } } }
  return { ...(file && { file }), ...(file && Number.isSafeInteger(line) && line > 0 && { start_line: line }) }
}
