import sql from 'sql-template-tag'
import type { Db } from '../../../../db/db.ts'
import { newestScan } from '../../../findings/finding-sql.ts'
import type { Scan } from '../../../findings/occurrences/occurrence.ts'
import type { ImportPlace } from '../../comparison/import-place.ts'
import type { AbsenceState } from '../import.ts'

/** Records that absences of an import wait for a decision. */
export async function holdAbsences(db: Db, importId: number, count: number): Promise<void> {
  await db.run(sql`update imports set absences = 'held', findings_held = ${count} where id = ${importId}`)
}

export async function insertHeld(db: Db, importId: number, findingIds: readonly number[]): Promise<void> {
  await db.run(sql`
    insert into held_absences (import_id, finding_id)
    select ${importId}, h.value from ${db.dialect.integers(findingIds)} as h`)
}

/** Ends the wait. Returns false when the import holds nothing, or another request has decided. */
export async function decideHeld(db: Db, importId: number, state: AbsenceState): Promise<boolean> {
  const changed = await db.run(sql`
    update imports set absences = ${state} where id = ${importId} and absences = 'held'`)
  return changed === 1
}

export async function deleteHeld(db: Db, importId: number): Promise<void> {
  await db.run(sql`delete from held_absences where import_id = ${importId}`)
}

/** Returns earlier imports that hold absences of a scan of the same kind as one of this import. */
export async function listSuperseded(
  db: Db,
  { projectId, ref, importId }: { projectId: number; ref: string; importId: number },
): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select m.id from imports m
    where m.project_id = ${projectId} and m.ref = ${ref} and m.absences = 'held' and m.id < ${importId}
      and exists (
        select 1 from scans s join scans n on n.scanner_id = s.scanner_id and n.report_type = s.report_type
          and coalesce(n.category_id, 0) = coalesce(s.category_id, 0)
        where s.import_id = m.id and n.import_id = ${importId})
    order by m.id`)
  return rows.map(({ id }) => id)
}

/** Returns the imports that hold absences of the ref. */
export async function listHeldOn(db: Db, { projectId, ref }: { projectId: number; ref: string }): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from imports where project_id = ${projectId} and ref = ${ref} and absences = 'held' order by id`)
  return rows.map(({ id }) => id)
}

/** Returns whether an empty report with one of these scans holds absences of the ref. An empty report that follows confirms it. */
export async function isEmptyOneHeld(
  db: Db,
  { projectId, ref, category }: Pick<ImportPlace, 'projectId' | 'ref' | 'category'>,
  scans: readonly Scan[],
): Promise<boolean> {
  const kinds = scans.map(({ scannerId, reportType }) => ({ scannerId, reportType }))
  const columns = { scannerId: 'integer', reportType: 'text' } as const
  const found = await db.one(sql`
    select 1 from imports m
    where m.project_id = ${projectId} and m.ref = ${ref} and m.absences = 'held' and m.findings_read = 0
      and exists (
        select 1 from scans s join ${db.dialect.records(kinds, columns)} as k
          on k.scanner_id = s.scanner_id and k.report_type = s.report_type
        where s.import_id = m.id and coalesce(s.category_id, 0) = ${category?.id ?? 0})
    limit 1`)
  return found !== undefined
}

/** A held finding that no later report observed. */
export interface StillMissing {
  id: number
  /** Null if the branch never had the finding. */
  isPresent: boolean | null
  /** Number of other categories that have the finding. */
  otherCategories: number
}

/** Returns the held findings that no later report observed. Present findings were observed by every complete scan that covers them. */
export function listStillMissing(
  db: Db,
  { importId, ref, categoryId = 0 }: { importId: number; ref: string; categoryId: number | undefined },
): Promise<StillMissing[]> {
  return db.all(sql`
    select f.id, o.is_present, (
      select count(*) from occurrence_categories c
      where c.occurrence_id = o.id and c.category_id <> ${categoryId} and ${categoryId} <> 0) as other_categories
    from held_absences h join findings f on f.id = h.finding_id
      left join occurrences o on o.finding_id = f.id and o.ref = ${ref}
    where h.import_id = ${importId} and (coalesce(o.is_present, false) = false
      or coalesce(${newestScan('import_id')}, o.last_import_id, 0) <= ${importId})
    order by f.id`)
}
