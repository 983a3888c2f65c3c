import { parseArgs } from 'node:util'

export interface Options {
  engine: 'sqlite' | 'postgres'
  sizes: Sizes
  /** How long one measurement of one row lasts; every row is measured once a round, its ceiling right after it. */
  seconds: number
  rounds: number
  /** Parts of the names of sections or rows; empty for everything. */
  only: readonly string[]
}

/** How much there is in the database that is measured, and in a report that is taken in. */
export interface Sizes {
  topics: number
  projects: number
  /** Findings of the three projects that are compared, each of them a vulnerability too. */
  findings: readonly [small: number, medium: number, large: number]
  report: number
  largeReport: number
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

const usage = `Usage: npm run bench -- [options]

  --engine sqlite|postgres   which database (default: sqlite)
  --quick                    small data and short rounds: less than a minute
  --seconds N                how long each measurement lasts (default: 2)
  --rounds N                 how often each row is measured; the table shows medians (default: 5)
  --only NAME[,NAME]         only sections and rows with one of these in their names`

/** Ends the program when its arguments are invalid. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parse(args)
  const engine = values.engine ?? 'sqlite'
  const seconds = Number(values.seconds ?? (values.quick ? 0.4 : 2))
  const rounds = Number(values.rounds ?? (values.quick ? 2 : 5))
  if (values.help) stop(usage, 0)
  if ((engine !== 'sqlite' && engine !== 'postgres') || !(seconds > 0) || !(rounds >= 1)) stop(usage, 2)
  const only = (values.only ?? '').split(',').filter(Boolean)
  return { engine, sizes: values.quick ? quick : full, seconds, rounds, only }
}

/** Whether a section or row is asked for. */
export function isAsked({ only }: Options, ...names: readonly string[]): boolean {
  return only.length === 0 || names.some((name) => only.some((part) => name.includes(part)))
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
