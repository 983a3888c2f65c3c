import { counted } from '../counted.ts'
import { type ListedFinding, nameOf, placeOf, type Severity, severities, severityOf } from '../findings.ts'
import { countOf, dismissedInWords } from '../gate/comparison.ts'
import { type Rule, writeRule } from '../gate/policy.ts'
import { plain, shorten, webAddress } from '../safe-text.ts'
import type { SentReport } from '../upload/upload-reports.ts'
import { gateFailures, incompleteness, type UploadResult } from '../upload/upload-result.ts'
import { openPalette, type Palette } from './palette.ts'
import { rulePreviewLines } from './rule-previews.ts'

/** Maximum number of findings that are printed of each kind. */
const maxShown = 20
const maxNameLength = 100

/** Writes a result for people: counts by severity, then new, fixed and known findings, then the gate. */
export function writeText(result: UploadResult, { isColoured }: { isColoured: boolean }): string {
  const paint = openPalette(isColoured)
  const { comparison, lists } = result
  const sections = [
    [
      headline(result, paint),
      ...result.reports.map((report) => reportLine(report, paint)),
      ...result.rejected.map(({ file, message }) => `  ${plain(file)}: ${paint.red(`rejected: ${plain(message)}`)}`),
    ],
    rulePreviewLines(result, paint),
    countTable(result, paint),
    findingLines({ title: 'New', findings: lists.new, total: comparison.new }, paint),
    findingLines({ title: 'Fixed', findings: lists.fixed, total: comparison.fixed }, paint),
    findingLines(
      { title: comparison.ref === null ? 'Present' : 'Known', findings: lists.known, total: comparison.known },
      paint,
    ),
    [incompleteness(result)].flatMap((sentence) => (sentence ? [paint.yellow(sentence)] : [])),
    result.gate ? gateLines(result.gate.policy, gateFailures(result), paint) : [],
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

function headline(
  { project, ref, commit, comparison, isProjectCreated, isDryRun }: UploadResult,
  paint: Palette,
): string {
  const at = commit ? ` at ${plain(commit).slice(0, 12)}` : ''
  const against = comparison.ref === null ? '' : `, compared with ${plain(comparison.ref)}`
  const notes = [isProjectCreated && 'project created', isDryRun && 'dry run, nothing was stored'].filter(Boolean)
  return `${paint.bold(plain(project))} ${plain(ref)}${at}${against}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`
}

function reportLine({ file, import: done }: SentReport, paint: Palette): string {
  const { findings, warnings, skipped, errors } = done
  const failed = done.status === 'failed'
  const counts = failed
    ? paint.red('not imported')
    : `${counted(findings.read, 'finding')}, ${findings.new} new to the project`
  const scanner = [done.scanner, done.report_type].flatMap((part) => (part ? [plain(part)] : [])).join(', ')
  const problems = [
    ...errors.map(({ message }) => paint.red(message)),
    ...warnings.map(({ message }) => paint.yellow(`warning: ${plain(message)}`)),
    ...skipped.slice(0, 3).map(({ pointer, reason }) => paint.yellow(`skipped ${plain(pointer)}: ${plain(reason)}`)),
    ...(skipped.length > 3
      ? [paint.yellow(`and ${counted(skipped.length - 3, 'more entry', 'more entries')} skipped`)]
      : []),
  ]
  return [`  ${plain(file)}: ${counts}${scanner && ` (${scanner})`}`, ...problems.map((line) => `    ${line}`)].join(
    '\n',
  )
}

function countTable({ comparison }: UploadResult, paint: Palette): string[] {
  const isTarget = comparison.ref === null
  const kinds = isTarget ? (['known'] as const) : (['new', 'fixed', 'known'] as const)
  const columns = [...severities, 'total'] as const
  const width = (name: string) => Math.max(name.length, 6) + 2
  const header = `${' '.repeat(8)}${columns.map((name) => name.padStart(width(name))).join('')}`
  const rows = kinds.map((kind) => {
    const cells = columns.map((name) => {
      const count = name === 'total' ? countOf(comparison, kind) : comparison.by_severity[name][kind]
      const cell = String(count).padStart(width(name))
      return count > 0 && name !== 'total' && kind !== 'fixed' ? paint.severity(name, cell) : cell
    })
    return `${(isTarget ? 'present' : kind).padEnd(8)}${cells.join('')}`
  })
  return [header, ...rows, ...dismissedInWords(comparison)]
}

function findingLines(
  { title, findings, total }: { title: string; findings: readonly ListedFinding[]; total: number },
  paint: Palette,
): string[] {
  if (findings.length === 0) return []
  const shown = findings.slice(0, maxShown)
  const rest = Math.max(total, findings.length) - shown.length
  return [
    paint.bold(title),
    ...shown.map((finding) => findingLine(finding, paint)),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ]
}

function findingLine(finding: ListedFinding, paint: Palette): string {
  const severity: Severity = severityOf(finding)
  const place = placeOf(finding).text
  const link = webAddress(finding.web_url)
  const name = shorten(nameOf(finding), maxNameLength)
  const first = `  ${paint.severity(severity, severity.padEnd(8))} ${name}${place && `  ${place}`}`
  return link ? `${first}\n           ${paint.dim(link)}` : first
}

function gateLines(policy: readonly Rule[], failures: readonly string[], paint: Palette): string[] {
  if (failures.length === 0) return [paint.green(`Gate passed: ${policy.map(writeRule).join(', ')}`)]
  return [paint.red('Gate failed:'), ...failures.map((failure) => `  ${failure}`)]
}
