import { expect, test } from 'vitest'
import { problemsIn } from '../../testing/reports/markup.ts'
import { renderMarkdown } from './render.ts'

/** Generous time limit, which only detects parses that do not end. Speed is measured elsewhere. */
const hangMs = 5_000

const mib = 1024 * 1024
/** Text length that is enough to show quadratic behaviour. */
const size = mib / 8
/** Length of the HTML whose markup is checked. */
const checkedLength = 100_000
const filled = (unit: string, length = size) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)

/** CPU time, which does not depend on other work of the machine. */
function rendered(text: string): { html: string; ms: number } {
  const before = process.cpuUsage()
  const html = renderMarkdown(text, { projectId: 7 })
  const { user, system } = process.cpuUsage(before)
  return { html, ms: (user + system) / 1000 }
}

const chapter = `## Mooring at the north quay

Ships longer than *120 metres* tie up at the **outer** berths; see the [harbour plan](https://example.com/plan "Plan") or
write to berths@example.com. The tide table of \`2026-03\` is in ![the table](/uploads/3f9c0a1be27d4458a6b1c2d3e4f50617/tides.png).

> A pilot is needed from force 7 on.[^pilot]

1. Call the harbour master on channel 12.
2. Wait for the signal:
   - [x] two lights
   - [ ] three lights

| Berth | Depth | Remark |
|-------|------:|--------|
| N1    |   9.5 | crane  |
| N2    |  11.0 | none   |

\`\`\`ts
const depth = berths.filter((berth) => berth.depth > draught + 0.5)
\`\`\`

<details><summary>More</summary>

Fenders are on the quay, <kbd>F</kbd> marks them on the plan.

</details>

`

test('1 MiB of ordinary text is rendered in less than a second', () => {
  const text = `${filled(chapter, mib - 100)}\n\n[^pilot]: By order of the port.`
  const { html, ms } = rendered(text)
  expect(html).toContain('<h2')
  expect(ms).toBeLessThan(hangMs)
})

const numbered = (unit: (index: number) => string) => {
  let text = ''
  for (let index = 0; text.length < size; index++) text += unit(index)
  return text
}

const pathological: Record<string, string> = {
  'runs of backticks': Array.from({ length: 700 }, (_, index) => '`'.repeat(index)).join(' '),
  'single backticks': filled('` '),
  '20,000 nested quotes': `${'>'.repeat(20_000)} a`,
  'only quotes': filled('> a\n\n'),
  'a table of 5,000 columns': [
    filled('|a', 10_000),
    filled('|-', 10_000),
    ...Array(20).fill(filled('|b', 10_000)),
  ].join('\n'),
  'a table of 60,000 columns': `${filled('|a', size / 2)}\n${filled('|-', size / 2)}`,
  'a tall table': `|a|b|\n|-|-|\n${filled('|1|2|\n')}`,
  'nested lists': filled('- '),
  'increasingly nested lists': numbered((index) => `${' '.repeat((index % 500) * 2)}- a\n`),
  'a flat list': filled('- a\n'),
  tasks: filled('- [ ] a\n'),
  'unclosed emphasis': filled('*a **b _c '),
  'nested emphasis': `${'*a '.repeat(45_000)}${' a*'.repeat(45_000)}`,
  'opening brackets': filled('['),
  'brackets in pairs': `${'['.repeat(size / 2)}${']'.repeat(size / 2)}`,
  'unclosed images': filled('!['),
  'nested images': `${'!['.repeat(15_000)}a${'](b)'.repeat(15_000)}`,
  'unclosed links': filled('[a](<b'),
  'one huge line': filled('lorem ipsum '),
  'one huge word': filled('a'),
  entities: filled('&amp;&#x3c;'),
  footnotes: numbered((index) => `[^${index}]\n\n[^${index}]: x\n\n`),
  'footnote brackets': `[^a]: b\n\n${filled('[^')}`,
  alerts: filled('> [!note]\n> a\n\n'),
  definitions: numbered((index) => `[a${index}]: /b\n`),
  'a long definition that is used often': `[a]: /${filled('x', size / 2)}\n\n${filled('[a]![a]', size / 2)}`,
  headings: filled('# a\n'),
  videos: filled('![](a.mp4)'),
  addresses: filled('http://a.b '),
  'mail addresses': filled('a@b.cc '),
  'addresses full of brackets': filled('http://a.b/[('),
  'tags that open': filled('<b>'),
  'divisions that open': filled('<div>\n'),
  'end tags': `${'<b>'.repeat(900)}${filled('</i>')}`,
  'a tag with a hundred thousand attributes': `<a ${numbered((index) => `b${index}=c `)}>`,
  'tags that do not end': filled('<a b="'),
  'comments that do not end': filled('<!--'),
  'a link full of comments': `<a href="${filled('a<!---->')}">x</a>`,
  classes: `<p class="${filled('gfm ')}">x</p>`,
}

test.each(Object.entries(pathological))('%s is rendered in bounded time and size, and harmless', (_, text) => {
  const { html, ms } = rendered(text)
  expect(ms).toBeLessThan(hangMs)
  expect(html.length).toBeLessThan(4 * mib)
  const end = html.indexOf('>', checkedLength)
  const checked = end === -1 ? html : html.slice(0, end + 1)
  expect(problemsIn(checked).filter((problem) => !problem.endsWith('closed'))).toEqual([])
})

test('text that would take too long is shown unrendered', () => {
  const brackets = filled('[', mib)
  expect(renderMarkdown(`<b>${brackets}`)).toBe(`<pre>&lt;b&gt;${brackets}</pre>\n`)
})

test('deeply nested text is never dropped', () => {
  for (const deep of [`${'> '.repeat(200)}bottom`, `${'- '.repeat(60)}bottom`, `${'<div>'.repeat(3000)}bottom`]) {
    expect(renderMarkdown(deep)).toContain('bottom')
  }
  expect(renderMarkdown(`${'> '.repeat(20)}${'- '.repeat(10)}bottom`)).toContain('<li>bottom</li>')
})

test('a link definition that is used too often is no longer linked', () => {
  const html = renderMarkdown(`[a]: /${'x'.repeat(40_000)}\n\n${'[a] '.repeat(10)}`)
  expect(html.match(/<a href/g)).toHaveLength(2)
  expect(html.match(/<a>a<\/a>/g)).toHaveLength(8)
})
