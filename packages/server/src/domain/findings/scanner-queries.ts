import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { StoredScanner } from './finding.ts'

/** Inserts unknown scanners and returns the ids by external id. Stored scanners are never updated by later reports. */
export async function upsertScanners(
  db: Db,
  projectId: number,
  scanners: readonly Omit<StoredScanner, 'id'>[],
  now: string,
): Promise<Map<string, number>> {
  const columns = { externalId: 'text', name: 'text', vendor: 'text' } as const
  await db.run(sql`
    insert into scanners (project_id, external_id, name, vendor, created_at)
    select ${projectId}, r.external_id, r.name, r.vendor, ${now} from ${db.dialect.records(scanners, columns)} as r
    where true
    on conflict (project_id, external_id) do nothing`)
  return listScannerIds(
    db,
    projectId,
    scanners.map(({ externalId }) => externalId),
  )
}

/** Returns the ids of the known scanners by external id. */
export async function listScannerIds(
  db: Db,
  projectId: number,
  externalIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db.all<{ id: number; externalId: string }>(sql`
    select id, external_id from scanners
    where project_id = ${projectId} and external_id in ${db.dialect.texts(externalIds)} order by id`)
  return new Map(rows.map((row) => [row.externalId, row.id]))
}

/** Deletes scanners that an aborted import inserted and that nothing refers to. */
export async function deleteUnusedScanners(db: Db, projectId: number, since: string): Promise<void> {
  await db.run(sql`
    delete from scanners where project_id = ${projectId} and created_at >= ${since}
      and not exists (select 1 from findings f where f.scanner_id = scanners.id)
      and not exists (select 1 from scans s where s.scanner_id = scanners.id)`)
}
