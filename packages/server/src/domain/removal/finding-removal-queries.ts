import sql, { raw } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

/** Tables of a project's report data, with the column of the index that finds its rows. */
const named = { findings: 'uuid', identifiers: 'fingerprint' } as const
type Named = keyof typeof named

/** Returns all ids of the project's rows. Reads them in batches. */
export async function listIdsIn(db: Db, table: Named, projectId: number): Promise<number[]> {
  const ids: number[] = []
  const name = raw(named[table])
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows: { id: number; name: string }[] = await db.all(sql`
      select id, ${name} as name from ${raw(table)} where project_id = ${projectId} and ${name} > ${after}
      order by ${name} limit ${pageSize}`)
    for (const { id } of rows) ids.push(id)
    after = rows.length < pageSize ? undefined : rows.at(-1)?.name
  }
  return ids.sort((a, b) => a - b)
}

const pageSize = 2000
