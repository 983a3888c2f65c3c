import { readFileSync, writeFileSync } from 'node:fs'
import type { Cell } from './table.ts'

/**
 * CPU ratios to the ceiling by the name of the row, as `--quick --record` measured them. It has only rows whose ratio is
 * stable on a busy machine: neither files, which depend on the disk, nor far pages.
 */
const file = new URL('expected.json', import.meta.url)

/** Returns the names of the rows that are checked and recorded. */
export const expectedRows = (): string[] => Object.keys(readExpected())

const readExpected = (): Ratios => JSON.parse(readFileSync(file, 'utf8'))
/** A row fails below this part of its expected ratio. */
const tolerance = 0.8
/** A row fails only if it is too low in every run, because machines are noisy. */
const maxRuns = 3

type Ratios = Readonly<Record<string, number>>
type Results = readonly Readonly<Record<string, Cell>>[]

interface Comparison {
  isChecked: boolean
  isRecorded: boolean
  /** Substrings of the names of the measured rows; empty for all. */
  only: readonly string[]
}

/**
 * Measures rows, and repeats those that are slower than expected. Returns a message if rows were too slow in every run, or
 * if an expected row does not exist. Without `--check`, measures once.
 */
export async function measureExpected<Row extends { name: string }>(
  rows: readonly Row[],
  { isChecked, isRecorded, only }: Comparison,
  measure: (rows: readonly Row[]) => Promise<Results>,
  expected = readExpected(),
): Promise<string | undefined> {
  if (!isChecked) {
    const results = await measure(rows)
    if (isRecorded) writeFileSync(file, `${JSON.stringify(ratiosOf(results), null, 2)}\n`)
    return
  }
  const absent = Object.keys(expected).filter(
    (name) => only.some((part) => name.includes(part)) && !rows.some((row) => row.name === name),
  )
  if (absent.length > 0) return `expected.json names rows that do not exist: ${absent.join('; ')}`

  let slow = rows
  for (let run = 0; run < maxRuns && slow.length > 0; run++) {
    const ratios = ratiosOf(await measure(slow))
    slow = slow.filter(({ name }) => !((ratios[name] ?? 0) >= tolerance * (expected[name] ?? 0)))
  }
  return slow.length > 0 ? `slower than expected: ${slow.map(({ name }) => name).join('; ')}` : undefined
}

function ratiosOf(results: Results): Record<string, number> {
  return Object.fromEntries(results.map((row) => [row['request'], Math.round(Number(row['CPU ratio']) * 100) / 100]))
}
