import { sentence } from './data/words.ts'
import type { Running } from './processes.ts'
import { authorization } from './requests.ts'
import type { Cell } from './table.ts'
import { percentile } from './table.ts'

const mebibyte = 1024 * 1024
const maxSeconds = 1

const ordinary = (number: number) =>
  `## Part ${number}

${sentence(number, 30)} It is **${number}** times *older* than [the first](https://example.test/${number}).

- [x] ${sentence(number, 6)}
- \`code ${number}\`, ~~gone~~ and a footnote[^${number}]

| name | count |
|---|---|
| part ${number} | ${number} |

[^${number}]: ${sentence(number, 8)}

`

/** Texts that slow down some parsers, each repeated to 1 MiB. */
const pieces: Record<string, (number: number) => string> = {
  'ordinary text': ordinary,
  'open brackets': () => '[',
  'nested emphasis': () => '*a **b ',
  'block quotes': () => '>',
  'addresses in text': (number) => `a.b@c${number}.d `,
  'cells of a table': () => '|a',
  'open tags': () => '<a <',
}

/** Measures the time from sending a text of 1 MiB to the last byte of the response. */
export async function measureMarkdown(server: Running, rounds: number): Promise<Record<string, Cell>[]> {
  const rows: Record<string, Cell>[] = []
  for (const [name, piece] of Object.entries(pieces)) {
    const text = textOf(piece)
    const seconds: number[] = []
    for (let round = 0; round < rounds; round++) {
      const start = performance.now()
      const answer = await fetch(`${server.url}/api/v4/markdown`, {
        method: 'POST',
        headers: { ...authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ text, gfm: true }),
      })
      if (!answer.ok) throw new Error(`${name} was answered ${answer.status}: ${await answer.text()}`)
      await answer.arrayBuffer()
      seconds.push((performance.now() - start) / 1000)
    }
    const median = percentile(
      seconds.sort((a, b) => a - b),
      50,
    )
    const aim = { aim: `≤ ${maxSeconds} s`, verdict: median <= maxSeconds ? 'met' : 'missed' }
    rows.push({ '1 MiB of Markdown': name, 'median s': median, 'most s': seconds.at(-1) ?? 0, ...aim })
  }
  return rows
}

function textOf(piece: (number: number) => string): string {
  let text = ''
  for (let number = 0; ; number++) {
    const more = piece(number)
    if (text.length + more.length > mebibyte) return text
    text += more
  }
}
