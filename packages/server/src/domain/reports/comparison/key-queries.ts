import sql, { raw, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'

/** Tables in which a project has each key once, by the column of the key. */
const keyColumns = { findings: 'uuid', finding_matches: 'uuid', identifiers: 'fingerprint' } as const

/**
 * Returns a condition on ids: the rows of a table that have these keys in the project. Every look-up is a subquery for one
 * key, so that PostgreSQL uses the unique index of that key. For a list of keys it may choose to read the whole project
 * until it has analysed a table that has just grown.
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
