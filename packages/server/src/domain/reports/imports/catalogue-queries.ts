import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { idsOfKeys } from '../comparison/key-queries.ts'
import type { Identifier, Scanner } from '../formats/report.ts'

/** Inserts unknown scanners and returns the ids by external id. Stored scanners are never updated by later reports. */
export async function upsertScanners(
  db: Db,
  projectId: number,
  scanners: readonly Scanner[],
  now: string,
): Promise<Map<string, number>> {
  const rows = scanners.map(({ externalId, name, vendor }) => ({ external_id: externalId, name, vendor }))
  const columns = { external_id: 'text', name: 'text', vendor: 'text' } as const
  await db.run(sql`
    insert into scanners (project_id, external_id, name, vendor, created_at)
    select ${projectId}, r.external_id, r.name, r.vendor, ${now} from ${db.dialect.records(rows, columns)} as r
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
  const rows = await db.all<{ id: number; external_id: string }>(sql`
    select id, external_id from scanners
    where project_id = ${projectId} and external_id in ${db.dialect.texts(externalIds)} order by id`)
  return new Map(rows.map((row) => [row.external_id, row.id]))
}

/**
 * Inserts unknown identifiers and returns the ids by fingerprint. Inserts in fingerprint order, so that two concurrent
 * imports cannot deadlock.
 */
export async function upsertIdentifiers(
  db: Db,
  projectId: number,
  identifiers: readonly Identifier[],
): Promise<Map<string, number>> {
  const distinct = new Map(identifiers.map((identifier) => [identifier.fingerprint, identifier]))
  const fingerprints = [...distinct.keys()].sort()
  const select = sql`
    select id, fingerprint from identifiers
    where id ${idsOfKeys(db, 'identifiers', projectId, fingerprints)} order by id`
  const known = new Map(
    (await db.all<{ id: number; fingerprint: string }>(select)).map((row) => [row.fingerprint, row.id]),
  )
  const fresh = fingerprints.flatMap((fingerprint) => (known.has(fingerprint) ? [] : (distinct.get(fingerprint) ?? [])))
  if (fresh.length === 0) return known

  const rows = fresh.map(({ fingerprint, externalType, externalId, name, url }) => ({
    fingerprint,
    external_type: externalType,
    external_id: externalId,
    name,
    url,
  }))
  const columns = {
    fingerprint: 'text',
    external_type: 'text',
    external_id: 'text',
    name: 'text',
    url: 'text',
  } as const
  await db.run(sql`
    insert into identifiers (project_id, fingerprint, external_type, external_id, name, url)
    select ${projectId}, r.fingerprint, r.external_type, r.external_id, r.name, r.url
    from ${db.dialect.records(rows, columns)} as r where true order by r.fingerprint
    on conflict (project_id, fingerprint) do nothing`)
  // Read again instead of using `returning`: a concurrent import may have inserted some of them.
  const stored = await db.all<{ id: number; fingerprint: string }>(select)
  return new Map(stored.map((row) => [row.fingerprint, row.id]))
}

/** Deletes scanners that an aborted import inserted and that nothing refers to. */
export async function deleteUnusedScanners(db: Db, projectId: number, since: string): Promise<void> {
  await db.run(sql`
    delete from scanners where project_id = ${projectId} and created_at >= ${since}
      and not exists (select 1 from findings f where f.scanner_id = scanners.id)
      and not exists (select 1 from scans s where s.scanner_id = scanners.id)`)
}

/** Deletes those of the given identifiers that no finding refers to. */
export async function deleteUnusedIdentifiers(db: Db, ids: readonly number[]): Promise<void> {
  await db.run(sql`
    delete from identifiers where id in ${db.dialect.integers(ids)}
      and not exists (select 1 from finding_identifiers fi where fi.identifier_id = identifiers.id)
      and not exists (select 1 from findings f where f.primary_identifier_id = identifiers.id)`)
}
