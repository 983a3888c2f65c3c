import { escapeHtml } from '../../escape-html.ts'

export interface Badge {
  label: string
  text: string
  color: 'green' | 'yellow' | 'orange' | 'red' | 'gray'
}

/** Backgrounds on which white text has a contrast of at least 4.5. */
const colors = { green: '#1a7f37', yellow: '#8a6100', orange: '#b54708', red: '#b42318', gray: '#5f5e66' }

const height = 20
const padding = 7
const characterWidth = 6.5

/** Draws a badge as SVG with an accessible title. The outline keeps it visible on light and dark pages. */
export function drawBadge({ label, text, color }: Badge): string {
  const [labelWidth, textWidth] = [widthOf(label), widthOf(text)]
  const width = labelWidth + textWidth
  const title = escapeHtml(`${label}: ${text}`)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<title>${title}</title>
<style>.label { fill: #3a3940 } @media (prefers-color-scheme: dark) { .label { fill: #4d4c54 } }</style>
<clipPath id="round"><rect width="${width}" height="${height}" rx="4"/></clipPath>
<g clip-path="url(#round)">
<rect class="label" width="${labelWidth}" height="${height}"/>
<rect x="${labelWidth}" width="${textWidth}" height="${height}" fill="${colors[color]}"/>
</g>
<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">
${line(label, padding, labelWidth)}
${line(text, labelWidth + padding, textWidth)}
</g>
</svg>
`
}

const widthOf = (text: string) => Math.round(text.length * characterWidth) + 2 * padding

/** The length is fixed, because fonts differ between viewers. */
const line = (text: string, x: number, width: number) =>
  `<text x="${x}" y="14" textLength="${width - 2 * padding}" lengthAdjust="spacingAndGlyphs">${escapeHtml(text)}</text>`
