import { escapeHtml } from '../../escape-html.ts'
import type { Severity } from '../../findings/scales.ts'
import type { BySeverity, Statistics } from '../../vulnerabilities/list/statistics.ts'

/** Severities of a report, most severe first. */
export const shownSeverities = ['critical', 'high', 'medium', 'low', 'unknown', 'info'] as const satisfies Severity[]

export const severityNames: Record<Severity, string> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  unknown: 'Unknown',
  info: 'Info',
}

const width = 720
const height = 180
const left = 48
const bottom = 24
const top = 10

/** Draws the number of open vulnerabilities of each day as stacked areas, by severity. */
export function drawTrend(days: Statistics['days']): string {
  const sums = days.map(({ active }) => total(active))
  const most = Math.max(1, ...sums)
  const x = (index: number) => left + (index * (width - left)) / Math.max(1, days.length - 1)
  const y = (value: number) => top + (1 - value / most) * (height - top - bottom)
  const below = days.map(() => 0)
  const areas = shownSeverities.toReversed().map((severity) => {
    const lower = [...below]
    days.forEach(({ active }, index) => {
      below[index] = (below[index] ?? 0) + active[severity]
    })
    const forth = below.map((value, index) => `${round(x(index))},${round(y(value))}`)
    const back = lower.map((value, index) => `${round(x(index))},${round(y(value))}`).reverse()
    return `<polygon class="fill-${severity}" points="${[...forth, ...back].join(' ')}"/>`
  })
  const first = days[0]?.date ?? ''
  const last = days.at(-1)?.date ?? ''
  const label = `Open vulnerabilities from ${first} to ${last}: ${sums[0] ?? 0} at the beginning, at most ${most}, ${sums.at(-1) ?? 0} at the end`
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(label)}">
<line class="axis" x1="${left}" y1="${y(0)}" x2="${width}" y2="${y(0)}"/>
<line class="grid" x1="${left}" y1="${y(most)}" x2="${width}" y2="${y(most)}"/>
${areas.join('\n')}
<text x="${left - 6}" y="${y(most) + 4}" text-anchor="end">${formatCount(most)}</text>
<text x="${left - 6}" y="${y(0) + 4}" text-anchor="end">0</text>
<text x="${left}" y="${height - 6}">${escapeHtml(first)}</text>
<text x="${width}" y="${height - 6}" text-anchor="end">${escapeHtml(last)}</text>
</svg>`
}

/** Draws a bar of the severities of a row. */
export function drawBar(counts: BySeverity<number>, most: number): string {
  let x = 0
  const parts = shownSeverities.flatMap((severity) => {
    const length = (counts[severity] / Math.max(1, most)) * 200
    if (length === 0) return []
    const part = `<rect class="fill-${severity}" x="${round(x)}" y="0" width="${round(length)}" height="12"/>`
    x += length
    return part
  })
  return `<svg class="bar" viewBox="0 0 200 12" aria-hidden="true">${parts.join('')}</svg>`
}

export const total = (counts: BySeverity<number>): number =>
  shownSeverities.reduce((sum, severity) => sum + counts[severity], 0)

const round = (value: number) => Math.round(value * 10) / 10

export const formatCount = (count: number): string => count.toLocaleString('en-US')
