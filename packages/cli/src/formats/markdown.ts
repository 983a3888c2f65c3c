import { type ListedFinding, nameOf, placeOf, severities, severityOf } from '../findings.ts'
import { countOf, dismissedInWords } from '../gate/comparison.ts'
import { type Rule, writeRule } from '../gate/policy.ts'
import { codeSpan, shorten, webAddress } from '../safe-text.ts'
import { gateFailures, incompleteness, missingReports, type UploadResult } from '../upload/upload-result.ts'

/** Maximum number of findings that are listed of each kind. A note of a forge has limited length. */
const maxShown = 25
const maxNameLength = 120
const maxPlaceLength = 160
const maxMessageLength = 600

/** Writes a result as Markdown of GitLab, GitHub and Gitea. Text of reports is in code spans, so it has no effect. */
export function writeMarkdown(result: UploadResult): string {
  const { comparison, lists } = result
  const sections = [
    `### ${titleOf(result)}`,
    describeRefs(result),
    missingSection(result),
    countTable(result),
    listSection({ title: 'New', findings: lists.new, total: comparison.new, isOpen: true }),
    listSection({ title: 'Fixed', findings: lists.fixed, total: comparison.fixed, isOpen: false }),
    listSection({
      title: comparison.ref === null ? 'Present' : 'Known',
      findings: lists.known,
      total: comparison.known,
      isOpen: false,
    }),
    incompleteness(result) ?? '',
    result.gate ? gateSection(result.gate.policy, gateFailures(result)) : '',
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

function titleOf(result: UploadResult): string {
  const { gate, comparison } = result
  const outcome = gate && (gateFailures(result).length === 0 ? 'passed' : 'failed')
  if (comparison.ref === null) return `Security findings${outcome ? `: the policy ${outcome}` : ''}`
  const counts = `${comparison.new} new, ${comparison.fixed} fixed, ${comparison.known} known`
  return `Security findings: ${counts}${outcome ? `; the policy ${outcome}` : ''}`
}

function describeRefs({ project, ref, commit, comparison, url }: UploadResult): string {
  const at = commit ? ` at ${codeSpan(commit.slice(0, 12))}` : ''
  const against = comparison.ref === null ? '' : `, compared with ${codeSpan(comparison.ref)}`
  const link = webAddress(`${url}/${project.split('/').map(encodeURIComponent).join('/')}`)
  const name = link ? `[${codeSpan(project)}](${link})` : codeSpan(project)
  return `${name}: ${codeSpan(ref)}${at}${against}.`
}

function countTable({ comparison }: UploadResult): string {
  const kinds = comparison.ref === null ? (['known'] as const) : (['new', 'fixed', 'known'] as const)
  const head = ['', ...severities, 'total']
  const rows = kinds.map((kind) => {
    const name = comparison.ref === null ? 'present' : kind
    return [name, ...severities.map((severity) => comparison.by_severity[severity][kind]), countOf(comparison, kind)]
  })
  const lines = [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  return [table, ...dismissedInWords(comparison)].join('\n\n')
}

interface Section {
  title: string
  findings: readonly ListedFinding[]
  total: number
  isOpen: boolean
}

function listSection({ title, findings, total, isOpen }: Section): string {
  if (findings.length === 0) return ''
  const shown = findings.slice(0, maxShown)
  const rest = Math.max(total, findings.length) - shown.length
  const items = [...shown.map(listItem), ...(rest > 0 ? [`- and ${rest} more`] : [])].join('\n')
  if (isOpen) return `**${title}**\n\n${items}`
  return `<details><summary>${title}: ${Math.max(total, findings.length)}</summary>\n\n${items}\n\n</details>`
}

function listItem(finding: ListedFinding): string {
  const name = codeSpan(shorten(nameOf(finding), maxNameLength))
  const link = webAddress(finding.web_url)
  const place = shorten(placeOf(finding).text, maxPlaceLength)
  return `- **${severityOf(finding)}** ${link ? `[${name}](${link})` : name}${place && ` in ${codeSpan(place)}`}`
}

function missingSection(result: UploadResult): string {
  const items = missingReports(result)
    .slice(0, maxShown)
    .map(({ file, message }) => `- ${codeSpan(file)}: ${codeSpan(shorten(message, maxMessageLength))}`)
  return items.length === 0 ? '' : `**Not imported**\n\n${items.join('\n')}`
}

function gateSection(policy: readonly Rule[], failures: readonly string[]): string {
  const rules = codeSpan(policy.map(writeRule).join(','))
  if (failures.length === 0) return `The policy ${rules} passed.`
  return `The policy ${rules} failed: ${failures.join('; ')}.`
}
