import sql, { join, raw, type Sql } from 'sql-template-tag'
import { noSolution } from './fix.ts'

/** The condition of `describesFix`, on the column `solution` of the table `findings` with this alias. */
export const hasFix = (alias: 'f' | 'findings'): Sql => sql`(coalesce(${raw(alias)}.solution, '') <> ''
  and ${join(
    noSolution.map(
      (text) => sql`substr(${raw(alias)}.solution, 1, ${raw(String(text.length))}) <> ${raw(`'${text}'`)}`,
    ),
    ' and ',
  )})`
