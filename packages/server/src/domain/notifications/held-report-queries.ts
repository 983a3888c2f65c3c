import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

/** Import whose absences wait for a decision. */
export interface HeldReport {
  id: number
  projectId: number
  ref: string
  scanner: string | null
  heldCount: number
}

const selectHeld: Sql = sql`
  select i.id, i.project_id, i.ref, i.scanner_name as scanner, i.findings_held as held_count
  from imports i where i.absences = 'held'`

/** Returns the held reports since a time that were not announced. */
export async function listHeldReports(db: Db, since: string): Promise<HeldReport[]> {
  return db.all(sql`
    ${selectHeld} and i.created_at > ${since}
      and not exists (select 1 from mail_events e where e.key = 'held-report:' || i.id)
    order by i.id`)
}

export async function findHeldReport(db: Db, id: number): Promise<HeldReport | undefined> {
  return db.one(sql`${selectHeld} and i.id = ${id}`)
}
