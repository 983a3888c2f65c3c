import { parseArgs } from 'node:util'
import { expectedRows } from './expected.ts'

export interface Options {
  engine: 'sqlite' | 'postgres'
  sizes: Sizes
  /** Duration of one measurement. Every row is measured once per round, followed by its ceiling. */
  seconds: number
  rounds: number
  /** Substrings of names of sections or rows; empty for all. */
  only: readonly string[]
  isQuick: boolean
  /** Whether requests that are slower than `expected.json` says make the program fail. */
  isChecked: boolean
  /** Whether `expected.json` is written. */
  isRecorded: boolean
}

/** Numbers of rows in the measured database and of findings in the imported reports. */
export interface Sizes {
  topics: number
  projects: number
  /** Findings of the three compared projects; each is also a vulnerability. */
  findings: readonly [small: number, medium: number, large: number]
  report: number
  largeReport: number
  /** Findings of all projects together, most of them copies of those of the first project. */
  allFindings?: number
}

const full: Sizes = {
  topics: 100_000,
  projects: 10_000,
  findings: [1_000, 100_000, 1_000_000],
  report: 14_219,
  largeReport: 400_000,
}
const quick: Sizes = {
  topics: 5_000,
  projects: 500,
  findings: [1_000, 5_000, 20_000],
  report: 2_000,
  largeReport: 20_000,
}

const minHuge = 100_000

/** Returns sizes with this number of findings, at least a hundred in each of up to 10,000 projects. */
const hugeSizes = (findings: number): Sizes => ({
  ...quick,
  projects: Math.min(10_000, Math.floor(findings / 100)),
  findings: [1_000, 0, 0],
  allFindings: findings,
})

const usage = `Usage: npm run bench -- [options]

  --engine sqlite|postgres   which database (default: sqlite)
  --quick                    small data and short rounds: two to three minutes
  --huge                     10 million findings in 10,000 projects: checks the plans of statements, and prints times of lists
  --findings N               how many findings, for --huge
  --seconds N                how long each measurement lasts (default: 2)
  --rounds N                 how often each row is measured; the table shows medians (default: 5)
  --only NAME[,NAME]         only sections and rows with one of these in their names
  --check                    measure the rows of expected.json, and fail if one is 20 % slower in three runs (with --quick);
                             takes less than a minute
  --record                   measure the rows of expected.json and write it (with --quick, on a quiet machine)`

/** Parses the arguments. Exits with a usage message when they are invalid. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parse(args)
  const engine = values.engine ?? 'sqlite'
  const { check: isChecked = false, record: isRecorded = false } = values
  const isCompared = isChecked || isRecorded
  const seconds = Number(values.seconds ?? (isCompared ? 0.3 : values.quick ? 0.4 : 2))
  // Expected ratios are those of the best of the rounds.
  const rounds = Number(values.rounds ?? (isCompared ? 3 : values.quick ? 2 : 5))
  if (values.help) stop(usage, 0)
  if ((engine !== 'sqlite' && engine !== 'postgres') || !(seconds > 0) || !(rounds >= 1)) stop(usage, 2)
  if (isCompared && !values.quick) stop(usage, 2)
  const isQuick = values.quick === true
  const findings = Number(values.findings ?? 10_000_000)
  if ((values.findings !== undefined && !values.huge) || !(findings >= minHuge) || (values.huge && isCompared))
    stop(usage, 2)
  const usual = isCompared ? expectedRows() : []
  const only = values.only?.split(',').filter(Boolean) ?? usual
  const sizes = values.huge ? hugeSizes(findings) : isQuick ? quick : full
  return { engine, sizes, seconds, rounds, only, isQuick, isChecked, isRecorded }
}

/** Returns true if the section or row is selected. */
export function isAsked({ only }: Options, ...names: readonly string[]): boolean {
  const isNamed = (part: string) => names.some((name) => name.toLowerCase().includes(part.toLowerCase()))
  return only.length === 0 || only.some(isNamed)
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        engine: { type: 'string' },
        quick: { type: 'boolean' },
        seconds: { type: 'string' },
        rounds: { type: 'string' },
        only: { type: 'string' },
        check: { type: 'boolean' },
        huge: { type: 'boolean' },
        findings: { type: 'string' },
        record: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
  } catch (error) {
    return stop(`${error instanceof Error ? error.message : error}\n\n${usage}`, 2)
  }
}

function stop(text: string, code: number): never {
  console.error(text)
  process.exit(code)
}
