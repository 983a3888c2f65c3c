import { expect, test } from 'vitest'
import { vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer } from '../../../testing/server.ts'

// Large enough that the digests of stored findings are loaded before the report is read.
const text = 'A text that describes the flaw at length. '.repeat(30)
const numbers = Array.from({ length: 400 }, (_, index) => index + 1)
const entryOf = (line: number) => ({ ...entry({ name: `Flaw ${line}`, line }), description: text })

test('a large report that is imported again stores only what has changed', async () => {
  const server = await startServer()
  const project = await server.project('acme/large')
  const first = await server.report(project, numbers.map(entryOf))
  expect(first.findings).toMatchObject({ read: 400, new: 400 })
  const before = await vulnerabilitiesOf(server, project)

  const again = await server.report(project, numbers.map(entryOf))
  expect(again.findings).toMatchObject({ read: 400, new: 0, known: 400, changed: 0, gone: 0 })
  expect(await vulnerabilitiesOf(server, project)).toEqual(before)

  const changed = numbers.slice(1).map((line) => (line === 7 ? { ...entryOf(7), severity: 'Critical' } : entryOf(line)))
  const added = { ...entry({ name: 'Flaw 401', file: 'src/other.ts' }), description: text }
  const third = await server.report(project, [...changed, added])
  expect(third.findings).toMatchObject({ read: 400, new: 1, known: 399, changed: 1, gone: 1 })
  const after = await vulnerabilitiesOf(server, project)
  expect(after['Flaw 7']).toMatchObject({ severity: 'critical' })
  expect(after['Flaw 401']).toMatchObject({ severity: 'medium' })
  expect(after['Flaw 1']).toMatchObject({ state: 'detected', resolved_on_default_branch: true })
})

test('a large report of another ref leaves out no content that is new there', async () => {
  const server = await startServer()
  const project = await server.project('acme/branches')
  await server.report(project, numbers.map(entryOf))
  const feature = [...numbers.map(entryOf), entryOf(401)]
  const read = await server.report(project, feature, { ref: 'feature' })
  expect(read.findings).toMatchObject({ read: 401, new: 1, known: 400 })
  const again = await server.report(project, feature)
  expect(again.findings).toMatchObject({ read: 401, new: 0, known: 401, changed: 0 })
})
