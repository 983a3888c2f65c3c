import { counted } from '../counted.ts'
import { type ListedFinding, nameOf, placeOf, type Severity, severityOf } from '../findings.ts'
import { plain, webAddress } from '../safe-text.ts'
import { gateFailures, incompleteness, missingReports, type UploadResult } from '../upload/upload-result.ts'

/** Maximum number of annotations. GitHub shows 10 errors and 10 warnings of a step, and 50 of a job. */
const maxAnnotations = 50

const levels: Record<Severity, 'error' | 'warning' | 'notice'> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'warning',
  unknown: 'notice',
  info: 'notice',
}

/** Writes new findings as workflow commands of GitHub Actions, which Gitea and Forgejo read as well. */
export function writeAnnotations(result: UploadResult): string {
  const { lists, comparison } = result
  const findings = comparison.ref === null ? lists.known : lists.new
  const shown = findings.slice(0, maxAnnotations)
  const rest = findings.length - shown.length
  const lines = [
    ...shown.map(annotationOf),
    ...(rest > 0 ? [command('notice', {}, `Not shown as annotations: ${counted(rest, 'more finding')}`)] : []),
    ...[incompleteness(result)].flatMap((sentence) => (sentence ? [command('notice', {}, sentence)] : [])),
    ...missingReports(result).map(({ file, message }) => command('error', { title: `Not imported: ${file}` }, message)),
    ...gateFailures(result).map((failure) => command('error', { title: 'Alcove policy failed' }, failure)),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function annotationOf(finding: ListedFinding): string {
  const { path, line, endLine, text } = placeOf(finding)
  const severity = severityOf(finding)
  const properties = {
    file: path?.replace(/^(\.?\/)+/, ''),
    line: path && line ? String(line) : undefined,
    endLine: path && line && endLine ? String(endLine) : undefined,
    title: `${severity}: ${nameOf(finding)}`,
  }
  const message = [nameOf(finding), path ? '' : text, webAddress(finding.web_url) ?? ''].filter((part) => part !== '')
  return command(levels[severity], properties, message.join(' · '))
}

function command(name: string, properties: Record<string, string | undefined>, message: string): string {
  const list = Object.entries(properties).flatMap(([key, value]) => (value ? [`${key}=${escapeProperty(value)}`] : []))
  return `::${name}${list.length > 0 ? ` ${list.join(',')}` : ''}::${escapeData(message)}`
}

/** Encodes a message. GitHub decodes these three and nothing else. */
function escapeData(text: string): string {
  return plain(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
