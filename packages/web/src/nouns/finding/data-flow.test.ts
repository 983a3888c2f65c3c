import { expect, test } from 'vitest'
import { dataFlowsIn } from './data-flow.ts'

const node = (file: string, line: number, type: string) => ({
  type: 'code-flow-node',
  file_location: { type: 'file-location', file_name: file, line_start: line, line_end: line },
  node_type: type,
})

test('steps of GitLab reports are those of the detail with the type code-flows', () => {
  const flow = [node('app.py', 3, 'source'), node('db.py', 9, 'propagation'), node('db.py', 12, 'sink')]
  const details = { note: { type: 'text', value: 'x' }, flows: { type: 'code-flows', items: [flow] } }
  expect(dataFlowsIn(details)).toEqual([
    [
      { kind: 'source', place: 'app.py:3' },
      { kind: 'propagation', place: 'db.py:9' },
      { kind: 'sink', place: 'db.py:12' },
    ],
  ])
})

test('steps of SARIF are in the raw data, with their messages and code', () => {
  const location = (uri: string, startLine: number, text: string) => ({
    location: {
      physicalLocation: { artifactLocation: { uri }, region: { startLine, snippet: { text: `  ${text}\n` } } },
      message: { text: `${text} is read` },
    },
  })
  const raw = {
    codeFlows: [{ threadFlows: [{ locations: [location('a.ts', 1, 'name'), location('b.ts', 7, 'query')] }] }],
  }
  expect(dataFlowsIn({}, JSON.stringify(raw))).toEqual([
    [
      { kind: 'source', place: 'a.ts:1', text: 'name is read', code: 'name' },
      { kind: 'sink', place: 'b.ts:7', text: 'query is read', code: 'query' },
    ],
  ])
})

test('results without a flow of two steps, and unknown shapes, have no data flow', () => {
  expect(dataFlowsIn({}, '{"codeFlows": [{"threadFlows": [{"locations": [{}]}]}, 4, null]}')).toEqual([])
  expect(dataFlowsIn({ flows: { type: 'code-flows', items: 'x' } }, 'no JSON')).toEqual([])
  expect(dataFlowsIn({ flows: { type: 'code-flows', items: [[node('a', 1, 'sink')]] } })).toEqual([])
})
