import { expect, test } from 'vitest'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer } from '../../../testing/server.ts'

const reportOf = (count: number) =>
  Array.from({ length: count }, (_, line) => entry({ line: line + 1, rule: `rule-${line}`, name: `Flaw ${line}` }))

// The size of a batch adapts to its duration, so the number of batches differs between runs.
test('an import takes a constant number of statements, and a constant number for each of its batches', async () => {
  const texts: string[] = []
  const server = await startServer({ observe: ({ text }) => texts.push(text) })
  const project = await server.project('acme/site')
  const importReport = async (count: number) => {
    texts.length = 0
    await server.report(project, reportOf(count), { promote: 'false' })
    // Without the queue and the progress, which depend on the time.
    const statements = texts.filter((text) => !/\b(jobs|imports)\b/.test(text))
    const countOf = (start: RegExp) => statements.filter((text) => start.test(text)).length
    // The first batches of an empty project look up nothing, and batches of known findings insert nothing.
    const read = Math.max(countOf(/^\s*select f\.uuid, f\.id, f\.digest/), countOf(/^\s*insert into findings /))
    return { statements: statements.length, read, committed: Math.ceil(count / 250) }
  }
  for (const count of [25, 400, 1_200]) {
    const { statements, read, committed } = await importReport(count)
    expect(read).toBeGreaterThan(0)
    expect(statements).toBeLessThanOrEqual(60 + 11 * read + 4 * committed)
    const again = await importReport(count)
    expect(again.statements).toBeLessThanOrEqual(60 + 2 * again.read)
  }
})
