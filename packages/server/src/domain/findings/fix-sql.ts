import sql, { raw, type Sql } from 'sql-template-tag'

/** How scanners of dependencies in GitLab report that there is no fix. */
const noSolution = 'Unfortunately, there is no solution'

/** Returns true if the solution in a report describes a fix. */
export const describesFix = (solution: string | null): boolean => Boolean(solution) && !solution?.startsWith(noSolution)

/** The same condition, on the column `solution` of the table `findings` with this alias. */
export const hasFix = (alias: 'f' | 'findings'): Sql => sql`(coalesce(${raw(alias)}.solution, '') <> ''
  and substr(${raw(alias)}.solution, 1, ${raw(String(noSolution.length))}) <> ${raw(`'${noSolution}'`)})`
