import { escapeHtml } from '../../escape-html.ts'
import { type Severity, severities } from '../../findings/scales.ts'
import type { BySeverity } from '../../vulnerabilities/list/statistics.ts'
import type { Vulnerability } from '../../vulnerabilities/vulnerability.ts'
import { drawBar, drawTrend, formatCount, severityNames, shownSeverities, total } from './charts.ts'
import { type AcceptedRisk, ageDays, type Bounded, type ListedVulnerability, maxListed, type Report } from './report.ts'
import type { Tally } from './report-queries.ts'
import { reportStyle } from './report-style.ts'

/** Writes the report as one document without scripts and without anything to load. All texts are escaped. */
export function writeReport(report: Report): string {
  const title = `Vulnerability report: ${report.title}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${reportStyle}</style>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
<p>Data as of ${time(report.asOf)} UTC, from <a href="${escapeHtml(report.url)}">${escapeHtml(report.url)}</a>.
Vulnerabilities that the default branch has or had.</p>
</header>
<main>
${[summary, trend, changes, byAge, byOwner, byProject, mostSevere, acceptedRisks].map((section) => section(report)).join('\n')}
</main>
</body>
</html>
`
}

const time = (iso: string) =>
  `<time datetime="${escapeHtml(iso)}">${escapeHtml(iso.slice(0, 16).replace('T', ' '))}</time>`
const day = (iso: string | null) => (iso === null ? '–' : escapeHtml(iso.slice(0, 10)))

const section = (title: string, content: string) => `<section>\n<h2>${title}</h2>\n${content}\n</section>`

/** A table whose cells are HTML. Columns with `#` at the start hold numbers. */
function table(caption: string, columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const isNumeric = columns.map((name) => name.startsWith('#'))
  const head = columns.map(
    (name, at) => `<th scope="col"${isNumeric[at] ? ' class="number"' : ''}>${name.replace('#', '')}</th>`,
  )
  const body = rows.map((cells) => {
    const inRow = cells.map((cell, at) =>
      at === 0 ? `<th scope="row">${cell}</th>` : `<td${isNumeric[at] ? ' class="number"' : ''}>${cell}</td>`,
    )
    return `<tr>${inRow.join('')}</tr>`
  })
  return `<table>\n<caption>${caption}</caption>\n<thead><tr>${head.join('')}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody>\n</table>`
}

function summary({ statistics }: Report): string {
  const { active, counts, letterGrade, waitingFindings, secondsToResolve } = statistics
  const rows = shownSeverities.map((severity) => {
    const { detected, confirmed, resolved, dismissed } = counts[severity]
    return [badge(severity), ...[detected, confirmed, resolved, dismissed].map(formatCount)]
  })
  const seconds = secondsToResolve.overall
  const facts = [
    ['Open', formatCount(total(active))],
    ['Grade', letterGrade ?? 'none'],
    ['Mean time to resolve', seconds === null ? '–' : `${formatCount(Math.round(seconds / 8640) / 10)} days`],
    ['Findings that need triage', waitingFindings > 10_000 ? 'more than 10,000' : formatCount(waitingFindings)],
  ]
  const list = facts.map(([term, value]) => `<div><dt>${term}</dt><dd>${value}</dd></div>`).join('\n')
  const columns = ['Severity', '#Needs triage', '#Confirmed', '#Resolved', '#Dismissed']
  return section('Summary', `<dl>\n${list}\n</dl>\n${table('Vulnerabilities by severity and status', columns, rows)}`)
}

function trend({ statistics }: Report): string {
  const legend = shownSeverities.map((severity) => `<li>${badge(severity)}</li>`).join('')
  return section(
    'Trend',
    `<p>Open vulnerabilities in the last year.</p>\n${drawTrend(statistics.days)}\n<ul class="legend">${legend}</ul>`,
  )
}

function changes({ since, tallies, added }: Report): string {
  const from = since.isPrevious ? `the previous report, ${time(since.at)} UTC` : `${time(since.at)} UTC`
  const of = (severity: Severity, count: (tally: Tally) => number) =>
    formatCount(tallies.filter((one) => one.severity === severity).reduce((sum, one) => sum + count(one), 0))
  const rows = shownSeverities.map((severity) => [
    badge(severity),
    of(severity, (one) => one.added),
    of(severity, (one) => one.resolved),
    of(severity, (one) => one.dismissed),
  ])
  const counts = table('Changes by severity', ['Severity', '#New', '#Resolved', '#Dismissed'], rows)
  return section(
    'Changes',
    `<p>Since ${from}.</p>\n${counts}\n${listed('Newest vulnerabilities of this period', added)}`,
  )
}

function byAge({ tallies }: Report): string {
  const names = [
    ...ageDays.map((days, at) => (at === 0 ? `up to ${days} days` : `${(ageDays[at - 1] ?? 0) + 1} to ${days} days`)),
    `more than ${ageDays.at(-1)} days`,
  ]
  const ages = names.map((name, age) => {
    const ofAge = tallies.filter((one) => one.age === age)
    return {
      name,
      open: countBy(ofAge, ({ open }) => open),
      overdue: ofAge.reduce((sum, one) => sum + one.overdue, 0),
    }
  })
  const most = Math.max(...ages.map(({ open }) => total(open)))
  const rows = ages.map(({ name, open, overdue }) => [
    name,
    drawBar(open, most),
    ...shownSeverities.map((severity) => formatCount(open[severity])),
    formatCount(total(open)),
    formatCount(overdue),
  ])
  return section(
    'Open by age',
    table('Open vulnerabilities by time since detection', ['Age', '', ...numbers, '#Total', '#Overdue'], rows),
  )
}

const numbers = shownSeverities.map((severity) => `#${severityNames[severity]}`)

function countBy(tallies: readonly Tally[], count: (tally: Tally) => number): BySeverity<number> {
  const counts = severities.map((severity) => [
    severity,
    tallies.filter((one) => one.severity === severity).reduce((sum, one) => sum + count(one), 0),
  ])
  return Object.fromEntries(counts) as BySeverity<number> // of all severities
}

function byOwner({ owners }: Report): string {
  if (owners.total === 0) return section('Open by assignee', '<p>None.</p>')
  const most = Math.max(1, ...owners.rows.map(({ open }) => total(open)))
  const rows = owners.rows.map(({ username, open }) => [
    username === null ? 'Unassigned' : escapeHtml(username),
    drawBar(open, most),
    ...shownSeverities.map((severity) => formatCount(open[severity])),
    formatCount(total(open)),
  ])
  const shown = rows.length < owners.total ? `<p>The first ${rows.length} of ${formatCount(owners.total)}.</p>\n` : ''
  const columns = ['Assignee', '', ...numbers, '#Total']
  return section('Open by assignee', `${shown}${table('Open vulnerabilities by assignee', columns, rows)}`)
}

function byProject({ statistics, projectCount, projects }: Report): string {
  if (projectCount < 2) return ''
  const names = new Map(projects.map((project) => [project.id, project.fullPath]))
  const { mostAffected } = statistics
  const most = Math.max(1, ...mostAffected.map(({ active }) => total(active)))
  const rows = mostAffected.map(({ projectId, active, letterGrade }) => [
    escapeHtml(names.get(projectId) ?? `project ${projectId}`),
    drawBar(active, most),
    ...shownSeverities.map((severity) => formatCount(active[severity])),
    formatCount(total(active)),
    letterGrade ?? '–',
  ])
  const note = `<p>The projects with the most severe open vulnerabilities; at most ten.</p>`
  return section(
    'Projects',
    `${note}\n${table('Open vulnerabilities by project', ['Project', '', ...numbers, '#Total', 'Grade'], rows)}`,
  )
}

function mostSevere({ mostSevere }: Report): string {
  return section('Most severe open vulnerabilities', listed('Open vulnerabilities, most severe first', mostSevere))
}

function listed(caption: string, { rows, total }: Bounded<ListedVulnerability>): string {
  if (total === 0) return '<p>None.</p>'
  const columns = ['Vulnerability', 'Severity', 'Status', 'Project', 'Assignee', 'Detected', 'Due']
  const cells = rows.map(({ vulnerability, assignee, project, url }) => [
    `<a href="${escapeHtml(url)}">${escapeHtml(vulnerability.title)}</a>`,
    badge(vulnerability.severity),
    stateNames[vulnerability.state],
    escapeHtml(project.fullPath),
    escapeHtml(assignee?.username ?? '–'),
    day(vulnerability.createdAt),
    day(vulnerability.dueOn),
  ])
  return `${limit(rows.length, total)}${table(caption, columns, cells)}`
}

const stateNames = {
  detected: 'Needs triage',
  confirmed: 'Confirmed',
  resolved: 'Resolved',
  dismissed: 'Dismissed',
}

const limit = (shown: number, total: number) =>
  shown < total
    ? `<p>The first ${formatCount(shown)} of ${formatCount(total)}. A report lists at most ${maxListed}.</p>\n`
    : ''

function acceptedRisks({ accepted, dismissals }: Report): string {
  const reasons = dismissals
    .filter(({ total }) => total > 0)
    .map(({ reason, total }) => [reason === null ? 'No reason' : reasonName(reason), formatCount(total)])
  const columns = ['Vulnerability', 'Severity', 'Project', 'Reason', 'Comment', 'Accepted by', 'Accepted on', 'Ends']
  const cells = accepted.rows.map(acceptedCells)
  const list =
    accepted.total === 0
      ? '<p>None.</p>'
      : `${limit(accepted.rows.length, accepted.total)}${table('Accepted and mitigated risks, most severe first', columns, cells)}`
  const counts =
    reasons.length > 0 ? table('All dismissed vulnerabilities by reason', ['Reason', '#Total'], reasons) : ''
  return section('Accepted risks', `${list}\n${counts}`)
}

const acceptedCells = ({ vulnerability, project, url, by, comment }: AcceptedRisk) => [
  `<a href="${escapeHtml(url)}">${escapeHtml(vulnerability.title)}</a>`,
  badge(vulnerability.severity),
  escapeHtml(project.fullPath),
  vulnerability.dismissalReason === null ? '–' : reasonName(vulnerability.dismissalReason),
  escapeHtml(comment ?? '–'),
  escapeHtml(by ?? '–'),
  day(vulnerability.dismissedAt),
  endOf(vulnerability),
]

function endOf({ dismissedUntil, isDismissedUntilFixed }: Vulnerability): string {
  if (isDismissedUntilFixed) return dismissedUntil === null ? 'when fixed' : `${day(dismissedUntil)} or when fixed`
  return dismissedUntil === null ? 'never' : day(dismissedUntil)
}

const reasonName = (reason: string) => escapeHtml(reason.charAt(0).toUpperCase() + reason.slice(1).replaceAll('_', ' '))

const badge = (severity: Severity) =>
  `<span class="badge"><i class="fill-${severity}"></i>${severityNames[severity]}</span>`
