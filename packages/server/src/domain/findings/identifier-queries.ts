import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { IdentifierContent } from './finding.ts'
import { idsOfKeys } from './finding-sql.ts'

/**
 * Inserts unknown identifiers and returns the ids by fingerprint. Inserts in fingerprint order, so that two concurrent
 * imports cannot deadlock.
 */
export async function upsertIdentifiers(
  db: Db,
  projectId: number,
  identifiers: readonly IdentifierContent[],
): Promise<Map<string, number>> {
  const distinct = new Map(identifiers.map((identifier) => [identifier.fingerprint, identifier]))
  const fingerprints = [...distinct.keys()].sort()
  const select = sql`
    select id, fingerprint from identifiers
    where id ${idsOfKeys(db, 'identifiers', projectId, fingerprints)} order by id`
  const known = new Map(
    (await db.all<{ id: number; fingerprint: string }>(select)).map((row) => [row.fingerprint, row.id]),
  )
  const unknown = fingerprints.flatMap((fingerprint) =>
    known.has(fingerprint) ? [] : (distinct.get(fingerprint) ?? []),
  )
  if (unknown.length === 0) return known
  const columns = {
    fingerprint: 'text',
    externalType: 'text',
    externalId: 'text',
    name: 'text',
    url: 'text',
  } as const
  await db.run(sql`
    insert into identifiers (project_id, fingerprint, external_type, external_id, name, url)
    select ${projectId}, r.fingerprint, r.external_type, r.external_id, r.name, r.url
    from ${db.dialect.records(unknown, columns)} as r where true order by r.fingerprint
    on conflict (project_id, fingerprint) do nothing`)
  // Read again instead of using `returning`: a concurrent import may have inserted some of them.
  const stored = await db.all<{ id: number; fingerprint: string }>(select)
  return new Map(stored.map((row) => [row.fingerprint, row.id]))
}

/** Deletes those of the given identifiers that no finding refers to. */
export async function deleteUnusedIdentifiers(db: Db, ids: readonly number[]): Promise<void> {
  await db.run(sql`
    delete from identifiers where id in ${db.dialect.integers(ids)}
      and not exists (select 1 from finding_identifiers fi where fi.identifier_id = identifiers.id)
      and not exists (select 1 from findings f where f.primary_identifier_id = identifiers.id)`)
}

export async function listIdentifierIds(db: Db, findingIds: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ identifierId: number }>(sql`
    select distinct identifier_id from finding_identifiers
    where finding_id in ${db.dialect.integers(findingIds)} order by identifier_id`)
  return rows.map(({ identifierId }) => identifierId)
}

export async function deleteIdentifiers(db: Db, ids: readonly number[]): Promise<void> {
  await db.run(sql`delete from identifiers where id in ${db.dialect.integers(ids)}`)
}
