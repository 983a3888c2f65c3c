import { expect, test } from 'vitest'
import { sarifFixesIn } from './sarif-fix.ts'

const lines = ['one', 'two', 'three', 'four(name)', 'five', 'six', 'seven', 'eight']
const physicalLocation = {
  artifactLocation: { uri: 'src/a.ts' },
  region: { startLine: 13, snippet: { text: 'four(name)' } },
  contextRegion: { startLine: 10, snippet: { text: lines.join('\n') } },
}
const change = (deletedRegion: object, text?: string, uri = 'src/a.ts') => ({
  artifactLocation: { uri },
  replacements: [{ deletedRegion, ...(text !== undefined && { insertedContent: { text } }) }],
})
const fixesOf = (...artifactChanges: object[]) =>
  sarifFixesIn(
    JSON.stringify({ locations: [{ physicalLocation }], fixes: [{ description: { text: 'Do' }, artifactChanges }] }),
  )

test('a fix of a SARIF result is a diff of the lines that its snippet contains', () => {
  expect(fixesOf(change({ startLine: 13, startColumn: 6, endColumn: 10 }, 'escape(name)'))).toEqual([
    {
      summary: 'Do',
      diff: [
        ...['--- a/src/a.ts', '+++ b/src/a.ts', '@@ -10,7 +10,7 @@', ' one', ' two', ' three'],
        ...['-four(name)', '+four(escape(name))', ' five', ' six', ' seven'],
      ].join('\n'),
    },
  ])
})

test('a fix may replace, insert and delete several lines of one file', () => {
  const [fix] = fixesOf(
    change({ startLine: 12, endLine: 13 }, 'THREE\nFOUR'),
    change({ startLine: 15, startColumn: 1, endLine: 16, endColumn: 1 }),
  )
  expect(fix?.diff.split('\n').slice(2)).toEqual([
    ...['@@ -10,8 +10,7 @@', ' one', ' two', '-three', '-four(name)', '-five', '-six'],
    ...['+THREE', '+FOUR', '+five', ' seven', ' eight'],
  ])
})

test('a fix of another file, of unknown lines, with very many changes, or without one is left out', () => {
  expect(fixesOf(change({ startLine: 13 }, 'x', 'src/b.ts'))).toEqual([])
  expect(fixesOf(change({ startLine: 9 }, 'x'))).toEqual([])
  expect(fixesOf(change({ startLine: 17, endLine: 18 }, 'x'))).toEqual([])
  expect(fixesOf(change({ startLine: 14, endLine: 13 }, 'x'))).toEqual([])
  expect(fixesOf(change({ startLine: 13 }, 'four(name)'))).toEqual([])
  expect(fixesOf()).toEqual([])
  expect(fixesOf(...Array.from({ length: 101 }, () => change({ startLine: 13 }, 'x')))).toEqual([])
  expect(sarifFixesIn('{"fixes":[{}]}')).toEqual([])
  expect(sarifFixesIn('no json')).toEqual([])
  expect(sarifFixesIn(undefined)).toEqual([])
})
