import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'

/** A ref of a project. */
export interface RefPlace {
  projectId: number
  ref: string
}

/** Returns the ids of all findings that the ref has observed, or of those that are present on it. */
export async function listFindingsOn(
  db: Db,
  { projectId, ref }: RefPlace,
  { isPresent }: { isPresent: boolean },
): Promise<number[]> {
  const rows = await db.all<{ findingId: number }>(sql`
    select finding_id from occurrences
    where project_id = ${projectId} and ref = ${ref} ${isPresent ? sql`and is_present = true` : empty}
    order by finding_id`)
  return rows.map(({ findingId }) => findingId)
}

const onOtherRef = (findingId: Sql, ref: string): Sql =>
  sql`exists (select 1 from occurrences e where e.finding_id = ${findingId} and e.ref <> ${ref})`

/** Deletes those of the findings that have no vulnerability and that no other ref has observed. */
export async function deleteObservedOnlyOn(db: Db, { ref }: RefPlace, findingIds: readonly number[]): Promise<void> {
  await db.run(sql`
    delete from findings where id in ${db.dialect.integers(findingIds)} and vulnerability_id is null
      and not ${onOtherRef(sql`findings.id`, ref)}`)
}

/** Deletes the occurrences of those findings that another ref has observed. */
export async function deleteRepeatedOccurrences(
  db: Db,
  { ref }: RefPlace,
  findingIds: readonly number[],
): Promise<void> {
  await db.run(sql`
    delete from occurrences where ref = ${ref} and finding_id ${db.dialect.among(db.dialect.integers(findingIds))}
      and ${onOtherRef(sql`occurrences.finding_id`, ref)}`)
}

/** Deletes the scans of a ref, after which no report covers its findings. */
export async function deleteScansOfRef(db: Db, { projectId, ref }: RefPlace): Promise<void> {
  await db.run(sql`
    delete from scans where ref = ${ref} and scanner_id in (select id from scanners where project_id = ${projectId})`)
}
