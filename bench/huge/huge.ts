import type { Dataset } from '../data/dataset.ts'
import type { Options } from '../options.ts'
import { printTable } from '../table.ts'
import { checkPlans } from './plans.ts'
import { measureTimes } from './times.ts'

/** Checks the plans of all statements with many findings and projects, and prints the times of lists. */
export async function measureHuge(dataset: Dataset, { rounds }: Options): Promise<void> {
  const { statements, problems } = await checkPlans(dataset)
  console.log(`\n${statements} different statements; ${problems.length} of them have a bad plan`)
  for (const problem of problems) console.log(`\n${problem}`)
  if (problems.length > 0) process.exitCode = 1
  printTable('Lists, one request at a time', await measureTimes(dataset.env, rounds))
}
