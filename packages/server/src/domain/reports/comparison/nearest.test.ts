import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pairNearest } from './nearest.ts'

const at = (lines: readonly number[]) => lines.map((line, id) => ({ line, id }))
const pairsOf = (reported: readonly number[], known: readonly number[]) =>
  pairNearest(at(reported), at(known)).map((pair) => [pair.known.line, pair.reported.line])

describe('pairing findings of one rule in one file', () => {
  test.for([
    { known: [10], reported: [900], pairs: [[10, 900]] },
    {
      known: [10, 50],
      reported: [13, 53],
      pairs: [
        [10, 13],
        [50, 53],
      ],
    }, // prettier-ignore
    { known: [10, 50], reported: [47], pairs: [[50, 47]] },
    { known: [10, 20], reported: [15], pairs: [] },
    { known: [10, 10], reported: [12], pairs: [] },
    { known: [10, 20, 30], reported: [40, 50, 60], pairs: [] },
    {
      known: [10, 20, 30],
      reported: [12, 22, 32],
      pairs: [
        [10, 12],
        [20, 22],
        [30, 32],
      ],
    },
    { known: [], reported: [1], pairs: [] },
  ])('matches lines $known with lines $reported', ({ known, reported, pairs }) => {
    expect(pairsOf(reported, known)).toEqual(pairs)
  })

  const lines = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 12 })

  test('is one to one, by the only nearest finding on both sides, independent of order', () => {
    fc.assert(
      fc.property(lines, lines, fc.integer(), (reported, known, seed) => {
        const pairs = pairNearest(at(reported), at(known))
        expect(new Set(pairs.map((pair) => pair.reported)).size).toBe(pairs.length)
        expect(new Set(pairs.map((pair) => pair.known)).size).toBe(pairs.length)
        for (const pair of pairs) {
          const distance = Math.abs(pair.reported.line - pair.known.line)
          const asNear = (all: readonly number[], line: number) =>
            all.filter((other) => Math.abs(other - line) <= distance)
          expect(asNear(known, pair.reported.line)).toHaveLength(1)
          expect(asNear(reported, pair.known.line)).toHaveLength(1)
        }
        const shuffled = (all: readonly number[]) =>
          all.toSorted((a, b) => ((a * 7919 + seed) % 61) - ((b * 7919 + seed) % 61))
        expect(pairsOf(shuffled(reported), shuffled(known))).toEqual(pairsOf(reported, known))
      }),
    )
  })
})
