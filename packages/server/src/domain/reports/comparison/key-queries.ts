import sql, { raw, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'

/** Tables with a unique key per project, and the column of that key. */
const keyColumns = { findings: 'uuid', finding_matches: 'uuid', identifiers: 'fingerprint' } as const

/**
 * Returns a condition on ids: the rows of a table that have one of these keys in the project. Every lookup is a
 * subquery for one key, so that PostgreSQL uses the unique index. For a list of keys it may scan the whole project
 * until a table that has grown quickly is analysed.
 */
export function idsOfKeys(
  { dialect }: Db,
  table: keyof typeof keyColumns,
  projectId: number,
  keys: readonly string[],
): Sql {
  const key = raw(keyColumns[table])
  return dialect.among(sql`
    select (select k.id from ${raw(table)} k where k.project_id = ${projectId} and k.${key} = l.value) as id
    from ${dialect.texts(keys)} as l`)
}
