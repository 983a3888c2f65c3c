import sql, { raw } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { deleteFindings } from '../findings/findings.ts'

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

/** Deletes findings with their vulnerabilities and all child rows of either. */
export async function deleteWithVulnerabilities(db: Db, ids: readonly number[]): Promise<void> {
  const rows = await db.all<{ vulnerability_id: number }>(sql`
    select vulnerability_id from promoted_findings where finding_id in ${db.dialect.integers(ids)}`)
  await deleteFindings(db, ids)
  const vulnerabilityIds = rows.map(({ vulnerability_id }) => vulnerability_id)
  await db.run(sql`delete from vulnerabilities where id in ${db.dialect.integers(vulnerabilityIds)}`)
}
