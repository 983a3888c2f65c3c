import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

/** Those of the keys that some row refers to. */
export async function listReferencedKeys(db: Db, keys: readonly string[]): Promise<string[]> {
  const wanted = db.dialect.texts(keys)
  const rows = await db.all<{ key: string }>(sql`
    select object_key as key from uploads where object_key in ${wanted}
    union all
    select avatar_key as key from topics where avatar_key in ${wanted}`)
  return rows.map((row) => row.key)
}
