import { expect, test } from 'vitest'
import { readFailure } from './failure.ts'

test.each([
  [{ base: ['expected a value.'] }, 'expected a value.'],
  [{ base: ['expected a value'] }, 'expected a value.'],
  [{ name: ["can't be blank"], path: ['is taken!'] }, "name can't be blank; path is taken!"],
])('a message ends with one full stop: %j', (message, sentence) => {
  expect(readFailure(400, JSON.stringify({ message })).message).toBe(sentence)
})

test.each([
  [401, '{"message":"401 Unauthorized"}', undefined],
  [404, '<html>Not here</html>', undefined],
  [404, '{"message":"404 Project Not Found"}', 'Project Not Found'],
  [403, '{"message":"403 Forbidden - You may not do this"}', 'You may not do this'],
])('the detail of a response %d with %s is %s', (status, text, detail) => {
  expect(readFailure(status, text).detail).toBe(detail)
})

test('a missing scope is named', () => {
  const text = '{"error":"insufficient_scope","error_description":"Too little.","scope":"api read_api"}'
  expect(readFailure(403, text).scopes).toEqual(['api', 'read_api'])
})

test('state conflicts have their number', () => {
  const conflicts = [{ id: 7, expected_state: 'detected', state: 'resolved', changed_by: null, changed_at: null }]
  const failure = readFailure(409, JSON.stringify({ message: 'changed', conflict_count: 30, conflicts }))
  expect(failure).toMatchObject({ status: 409, message: 'changed', conflicts, conflictCount: 30 })
  expect(readFailure(409, '{"message":"other"}')).toMatchObject({ conflicts: [], conflictCount: 0 })
})
