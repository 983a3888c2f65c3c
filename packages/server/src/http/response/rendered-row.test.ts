import { expect, test } from 'vitest'
import { isJoined, joinForCache, joinRows, renderRow } from './rendered-row.ts'

test.each([[[]], [['{"id":1}']], [['{"id":1}', '{"id":2}', '{"name":"Ü"}']]])('joins %j to a JSON list', (texts) => {
  const rows = texts.map((text) => renderRow(text))
  const { bytes } = joinRows(rows)
  expect(JSON.parse(bytes.toString())).toEqual(texts.map((text) => JSON.parse(text)))
})

test('joined rows keep their list', () => {
  const rows = [renderRow('1'), renderRow('2')]
  expect(isJoined(rows)).toBe(false)
  const joined = joinForCache(rows)
  expect(isJoined(joined)).toBe(true)
  expect(joined.content).toEqual(joinRows(rows))
  expect(joined.content.digest).not.toBe(joinRows(rows.toReversed()).digest)
})
