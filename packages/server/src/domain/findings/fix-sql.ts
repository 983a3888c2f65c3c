import sql, { join, raw, type Sql } from 'sql-template-tag'

/** Beginnings of the texts with which scanners report that there is no fix. */
export const noSolution = ['Unfortunately, there is no solution', 'No solution provided']

/** Words of the sentences that state a version, in lower case. */
const words = ['upgrad', 'updat', 'fixed in', 'patched in', 'fixed version']
/** A version after them, with every digit as 0. */
const versions = ['0.0', ' to 0', ' to v0', 'version 0', 'versions 0', '>=0', '>= 0']

/**
 * Returns the condition that a scanner reports a fix, on the table `findings` with this alias: the entry has a remediation,
 * or its solution states the version to upgrade to. Advice such as "Validate the input" and "Upgrade to the latest version"
 * is no fix. Formats with a field for fixed versions write it into the solution.
 */
export function hasFix(alias: 'f' | 'findings'): Sql {
  const solution = raw(`coalesce(${alias}.solution, '')`)
  const isNone = join(
    noSolution.map((text) => sql`substr(${solution}, 1, ${raw(String(text.length))}) = ${raw(`'${text}'`)}`),
    ' or ',
  )
  const states = words.flatMap((word) => versions.map((version) => raw(`s.text like '%${word}%${version}%'`)))
  return sql`(coalesce(cast(${raw(alias)}.extras -> 'remediations' as text), '[]') not in ('[]', 'null')
    or (${solution} <> '' and not (${isNone}) and exists (
      select 1 from (select ${raw(withoutDigits(`lower(${alias}.solution)`))} as text) s where ${join(states, ' or ')})))`
}

/** Replaces every digit by 0, because the engines have no pattern for digits in common. */
const withoutDigits = (text: string) => {
  let replaced = text
  for (let digit = 1; digit <= 9; digit++) replaced = `replace(${replaced}, '${digit}', '0')`
  return replaced
}
