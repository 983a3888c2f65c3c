import sql, { raw, type Sql } from 'sql-template-tag'
import { noSolution } from './fix.ts'

/** The condition of `describesFix`, on the column `solution` of the table `findings` with this alias. */
export const hasFix = (alias: 'f' | 'findings'): Sql => sql`(coalesce(${raw(alias)}.solution, '') <> ''
  and substr(${raw(alias)}.solution, 1, ${raw(String(noSolution.length))}) <> ${raw(`'${noSolution}'`)})`
