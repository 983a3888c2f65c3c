import { expect, test } from 'vitest'
import { readFailure } from './failure.ts'

test.each([
  [{ base: ['expected a value.'] }, 'expected a value.'],
  [{ base: ['expected a value'] }, 'expected a value.'],
  [{ name: ["can't be blank"], path: ['is taken!'] }, "name can't be blank; path is taken!"],
])('a message ends with one full stop: %j', (message, sentence) => {
  expect(readFailure(400, JSON.stringify({ message })).message).toBe(sentence)
})

test('state conflicts have their number', () => {
  const conflicts = [{ id: 7, expected_state: 'detected', state: 'resolved', changed_by: null, changed_at: null }]
  const failure = readFailure(409, JSON.stringify({ message: 'changed', conflict_count: 30, conflicts }))
  expect(failure).toMatchObject({ status: 409, message: 'changed', conflicts, conflictCount: 30 })
  expect(readFailure(409, '{"message":"other"}')).toMatchObject({ conflicts: [], conflictCount: 0 })
})
