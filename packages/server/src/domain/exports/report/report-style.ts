/** Style sheet of a report, for screens in both themes and for print. */
export const reportStyle = `
:root { color-scheme: light dark; --text: #1f1e24; --muted: #626168; --line: #dcdcde; --back: #fff;
  --critical: #8f0f24; --high: #d4351c; --medium: #e07b00; --low: #1f75cb; --unknown: #737278; --info: #8fb4d9 }
@media (prefers-color-scheme: dark) {
  :root { --text: #ececef; --muted: #a4a3a8; --line: #434248; --back: #1f1e24; --critical: #f57f8f; --low: #63a6e9 }
}
body { margin: 0 auto; padding: 24px; max-width: 960px; font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back) }
h1 { font-size: 26px; overflow-wrap: anywhere } h2 { font-size: 20px; margin-top: 40px; border-bottom: 1px solid var(--line) }
a { color: inherit } header p, caption { color: var(--muted) }
dl { display: flex; flex-wrap: wrap; gap: 16px 32px } dt { color: var(--muted) } dd { margin: 0; font-size: 22px; font-weight: 600 }
table { width: 100%; border-collapse: collapse; margin: 16px 0; font-size: 14px } caption { text-align: left; padding: 4px 0 }
th, td { text-align: left; vertical-align: top; padding: 4px 8px 4px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
tbody th { font-weight: 400 } .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.badge { white-space: nowrap } i { display: inline-block; width: 10px; height: 10px; margin-right: 6px; border-radius: 2px; border: 1px solid var(--muted) }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 16px; padding: 0 }
svg { width: 100%; height: auto } svg text { font-size: 11px; fill: var(--muted) } svg .axis { stroke: var(--muted) } svg .grid { stroke: var(--line) }
svg.bar { width: 120px; height: 12px }
.fill-critical { fill: var(--critical); background: var(--critical) } .fill-high { fill: var(--high); background: var(--high) }
.fill-medium { fill: var(--medium); background: var(--medium) } .fill-low { fill: var(--low); background: var(--low) }
.fill-unknown { fill: var(--unknown); background: var(--unknown) } .fill-info { fill: var(--info); background: var(--info) }
@media print {
  @page { margin: 15mm }
  :root { --text: #000; --muted: #444; --line: #bbb; --back: #fff; --critical: #8f0f24; --low: #1f75cb }
  body { max-width: none; padding: 0; font-size: 10pt } h2 { break-after: avoid } tr, svg { break-inside: avoid } thead { display: table-header-group }
  i, svg { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
`
