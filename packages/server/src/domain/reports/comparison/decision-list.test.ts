import fc from 'fast-check'
import { expect, test } from 'vitest'
import { severities } from '../../findings/scales.ts'
import type { Decision, MovedFinding } from './decision.ts'
import { openDecisionList } from './decision-list.ts'

const id = fc.integer({ min: 1, max: 2 ** 45 })
const vulnerabilityId = fc.option(id)
const severity = fc.constantFrom(...severities)
const isLarge = fc.boolean()
const uuid = fc.uuid()
const suppression = fc.record({ pointer: fc.string(), comment: fc.constant(undefined) }) as fc.Arbitrary<never> // any object
const presence = fc.constantFrom('newOnRef', 'reappeared', 'newInCategory', 'unchanged')

const decision: fc.Arbitrary<Decision> = fc.oneof(
  fc.record(
    {
      kind: fc.constant('new'),
      findingId: fc.oneof(id, fc.constant(0)),
      severity,
      staged: fc.record({ uuid, isLarge }),
      suppression,
    },
    { requiredKeys: ['kind', 'findingId', 'severity'] },
  ),
  fc.record(
    {
      kind: fc.constant('observed'),
      findingId: id,
      vulnerabilityId,
      presence,
      content: fc.record({ uuid, severity, isLarge }),
      suppression,
    },
    { requiredKeys: ['kind', 'findingId', 'vulnerabilityId', 'presence'] },
  ),
  fc.record({ kind: fc.constantFrom('absent', 'removedFromCategory'), findingId: id }),
) as fc.Arbitrary<Decision>

test('a list returns its decisions unchanged and in order, as often as it is read', () => {
  fc.assert(
    fc.property(fc.array(decision, { maxLength: 50 }), (decisions) => {
      const list = openDecisionList()
      for (const one of decisions) list.push(one)
      expect([...list]).toEqual(decisions)
      expect([...list]).toEqual(decisions)
    }),
  )
})

test('a list may have any number of decisions', () => {
  const list = openDecisionList()
  const moved = { kind: 'moved', findingId: 1, presence: 'unchanged', vulnerabilityId: 7 } as MovedFinding // stored as it is
  for (let count = 1; count <= 20_000; count++) {
    list.push(count % 9_000 === 0 ? moved : { kind: 'new', findingId: count, severity: 'high' })
  }
  const read = [...list]
  expect(read).toHaveLength(20_000)
  expect(read[8_999]).toBe(moved)
  expect(read.at(-1)).toEqual({ kind: 'new', findingId: 20_000, severity: 'high' })
  list.push({ kind: 'absent', findingId: 3 })
  expect([...list].at(-1)).toEqual({ kind: 'absent', findingId: 3 })
})
