import { expect, test } from 'vitest'
import { snippetIn } from './snippet.ts'

const read = (raw: object, location = {}) => snippetIn(JSON.stringify(raw), location)

test('a snippet has the context of the report, its first line, and the lines of the flaw', () => {
  expect(read({ raw_source_code_extract: 'a\nb' }, { start_line: 7, end_line: 8 })).toEqual({
    ...{ text: 'a\nb', firstLine: 7, marked: [7, 8] },
  })
  expect(read({ extra: { lines: 'x' } })).toEqual({ text: 'x', firstLine: undefined, marked: undefined })
  const region = { startLine: 5, snippet: { text: 'five' } }
  const contextRegion = { startLine: 4, snippet: { text: 'four\nfive\nsix' } }
  expect(read({ locations: [{ physicalLocation: { region, contextRegion } }] }, { start_line: 5 })).toEqual({
    ...{ text: 'four\nfive\nsix', firstLine: 4, marked: [5, 5] },
  })
  expect(read({ locations: [{ physicalLocation: { region } }] })).toMatchObject({ text: 'five', firstLine: 5 })
  const Lines = [{ Number: 3, Content: 'one' }, { Content: 'two' }]
  expect(read({ CauseMetadata: { Code: { Lines } } })).toMatchObject({ text: 'one\ntwo', firstLine: 3 })
})

test('raw data without code has no snippet', () => {
  for (const raw of [{}, { locations: 'x' }, { CauseMetadata: { Code: { Lines: [] } } }, []])
    expect(read(raw)).toBe(undefined)
  expect(snippetIn('no json', {})).toBe(undefined)
})
