import type { StoredIdentifier } from '../findings/finding.ts'
import { isOverdue } from '../vulnerabilities/due-dates/due-date.ts'
import { fraction, priorityOf } from '../vulnerabilities/priority/priority.ts'
import { dismissalScopeOf } from '../vulnerabilities/triage/dismissals/ref-dismissals.ts'
import { capitalised, historyText } from '../vulnerabilities/triage/history/history-text.ts'
import type { Remark } from './exported-row-queries.ts'
import type { ExportedRow } from './exported-rows.ts'
import { importDataOf } from './import-data.ts'
import { rubyText } from './ruby-text.ts'

/** Columns of GitLab's export, in its order, and then our own. `today` is a date in UTC. */
const columns: readonly (readonly [header: string, cell: (row: ExportedRow, today: string) => string])[] = [
  ['Group Name', ({ project }) => (project.namespace.kind === 'group' ? project.namespace.name : '')],
  ['Project Name', ({ project }) => project.name],
  ['Tool', ({ vulnerability }) => vulnerability.reportType],
  ['Scanner Name', ({ scanner }) => scanner.name],
  ['Status', ({ vulnerability }) => vulnerability.state],
  ['Vulnerability', ({ vulnerability }) => vulnerability.title],
  ['Details', ({ finding }) => finding.description ?? ''],
  ['Additional Info', () => ''],
  ['Severity', ({ vulnerability }) => vulnerability.severity],
  ['CVE', ({ identifiers }) => firstOf(identifiers, 'cve')?.name ?? ''],
  ['CWE', ({ identifiers }) => firstOf(identifiers, 'cwe')?.name ?? ''],
  ['Other Identifiers', ({ identifiers }) => otherNames(identifiers)],
  ['Detected At', ({ vulnerability }) => timeText(vulnerability.createdAt)],
  ['Location', ({ finding }) => rubyText(finding.location)],
  ['Activity', ({ vulnerability }) => String(vulnerability.isResolvedOnDefaultBranch)],
  ['Comments', ({ remarks }) => remarks.map(remarkText).join('; ')],
  ['Full Path', ({ project, vulnerability }) => `${project.fullPath}/${vulnerability.id}`],
  ['CVSS Vectors', ({ extras }) => extras.cvss.map(({ vendor, vector }) => `${vendor}=${vector}`).join('; ')],
  ['Dismissal Reason', ({ vulnerability }) => capitalised(dismissalOf(vulnerability))],
  ['Vulnerability ID', ({ vulnerability }) => String(vulnerability.id)],
  // Columns that GitLab does not have.
  ['Priority', ({ vulnerability }) => String(priorityOf(vulnerability).score)],
  ['EPSS Score', ({ vulnerability }) => numberText(fraction(vulnerability.epssMillionths, 1_000_000))],
  ['Known Exploited', ({ vulnerability }) => String(vulnerability.isKev)],
  ['Package URL', ({ finding }) => finding.packageUrl ?? ''],
  ['Assignee', ({ assignee }) => assignee?.username ?? ''],
  ['Due On', ({ vulnerability }) => vulnerability.dueOn ?? ''],
  ['Overdue', ({ vulnerability }, today) => String(isOverdue(vulnerability, today))],
  ['Dismissed Until', ({ vulnerability }) => endText(vulnerability)],
  ['Tags', ({ vulnerability }) => vulnerability.tags.join(', ')],
  ['Dismissal Scope', ({ vulnerability }) => scopeText(vulnerability)],
  ['KEV Due On', ({ exploitations }) => exploitations.flatMap(({ dueOn }) => dueOn ?? []).sort()[0] ?? ''],
  ['Known Ransomware Use', ({ exploitations }) => String(exploitations.some(({ isRansomware }) => isRansomware))],
  ['Import Data', (row) => JSON.stringify(importDataOf(row))],
]

const numberText = (number: number | null) => (number === null ? '' : String(number))

export const csvHeader = lineOf(columns.map(([header]) => header))

export function csvLine(row: ExportedRow, today: string): string {
  return lineOf(columns.map(([, cell]) => safe(cell(row, today))))
}

function lineOf(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\n`
}

/** Puts the text on one line and keeps spreadsheets from treating it as a formula. */
function safe(text: string): string {
  const line = text.replace(/\r\n|\r|\n/g, '\\n')
  return /^[=+\-@;]/.test(line) ? `'${line}` : line
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

function firstOf(identifiers: readonly StoredIdentifier[], type: string): StoredIdentifier | undefined {
  return identifiers.find(({ externalType }) => externalType.toLowerCase() === type)
}

/** Joins names in a cell. Quotes names that contain a semicolon or quotes. */
function otherNames(identifiers: readonly StoredIdentifier[]): string {
  const shown = [firstOf(identifiers, 'cve'), firstOf(identifiers, 'cwe')]
  return identifiers
    .filter((identifier) => !shown.includes(identifier))
    .map(({ name }) => (/[;"]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name))
    .join('; ')
}

/** Returns a history entry as four parts: time, user, new state and text. A note has no state. */
function remarkText(remark: Remark): string {
  const state = remark.kind === 'state' ? remark.to : ''
  return [timeText(remark.createdAt), remark.username ?? '', state, historyText({ ...remark, ...nowhere })].join('|')
}

/** Remarks do not refer to a branch. */
const nowhere = { ref: null, details: null }

function timeText(time: string): string {
  return `${time.slice(0, 19).replace('T', ' ')} UTC`
}

/** Returns how far a dismissal reaches. */
function scopeText(vulnerability: ExportedRow['vulnerability']): string {
  const scope = dismissalScopeOf(vulnerability)
  return scope === 'ref' ? `ref: ${vulnerability.refDismissals.map(({ ref }) => ref).join(', ')}` : (scope ?? '')
}

/** Returns when a dismissal ends. */
function endText({ dismissedUntil, isDismissedUntilFixed }: ExportedRow['vulnerability']): string {
  return [dismissedUntil ?? '', isDismissedUntilFixed ? 'fix available' : ''].filter(Boolean).join(' or ')
}

/** Returns the reason of a vulnerability that is currently dismissed. */
function dismissalOf({ state, dismissalReason }: ExportedRow['vulnerability']): string | null {
  return state === 'dismissed' ? dismissalReason : null
}
