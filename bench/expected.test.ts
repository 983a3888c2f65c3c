import { describe, expect, test } from 'vitest'
import { measureExpected } from './expected.ts'

const expected = { list: 0.5, single: 0.3 }
const rows = [{ name: 'list' }, { name: 'single' }]
const checked = { isChecked: true, isRecorded: false, only: [] }

/** Returns the ratios of one run after the other, and records which rows each run has measured. */
function runs(...ratios: Record<string, number>[]) {
  const measured: string[][] = []
  return {
    measured,
    async measure(rows: readonly { name: string }[]) {
      const ofRun = ratios[measured.length] ?? {}
      measured.push(rows.map(({ name }) => name))
      return rows.map(({ name }) => ({ request: name, 'CPU ratio': ofRun[name] }))
    },
  }
}

describe('a check of the expected ratios', () => {
  test('fails with the names of the rows that are more than 20 % lower in three runs', async () => {
    const { measure, measured } = runs({ list: 0.39, single: 0.24 }, { list: 0.39 }, { list: 0.39 })
    expect(await measureExpected(rows, checked, measure, expected)).toBe('slower than expected: list')
    expect(measured).toEqual([['list', 'single'], ['list'], ['list']])
  })

  test('succeeds when a row reaches its ratio in one of three runs', async () => {
    const { measure, measured } = runs({ list: 0.39, single: 0.3 }, { list: 0.2 }, { list: 0.4 })
    expect(await measureExpected(rows, checked, measure, expected)).toBeUndefined()
    expect(measured).toHaveLength(3)
  })

  test('measures once when no row is slow', async () => {
    const { measure, measured } = runs({ list: 0.4, single: 0.31 })
    expect(await measureExpected(rows, checked, measure, expected)).toBeUndefined()
    expect(measured).toHaveLength(1)
  })

  test('fails when a ratio is not a number, as if nothing was measured', async () => {
    const { measure } = runs({ list: Number.NaN, single: 0.3 }, { list: Number.NaN }, { list: Number.NaN })
    expect(await measureExpected(rows, checked, measure, expected)).toBe('slower than expected: list')
  })

  test('fails when an expected row was renamed', async () => {
    const { measure, measured } = runs()
    const only = Object.keys(expected)
    const failure = await measureExpected([{ name: 'list' }], { ...checked, only }, measure, expected)
    expect(failure).toBe('expected.json names rows that do not exist: single')
    expect(measured).toEqual([])
  })

  test('is skipped in a run that only measures', async () => {
    const { measure } = runs({ list: 0.01, single: 0.01 })
    expect(await measureExpected(rows, { ...checked, isChecked: false }, measure, expected)).toBeUndefined()
  })
})
