import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { FlawFinding } from './flaw.ts'

export type StoredFlawFinding = FlawFinding & { findingId: number; vulnerabilityId: number | null }

/** Returns findings, given by their ids or those of their vulnerabilities. */
export async function listFlawFindings(
  db: Db,
  by: 'id' | 'vulnerability_id',
  ids: readonly number[],
): Promise<StoredFlawFinding[]> {
  const isListed =
    by === 'id' ? sql`f.id in ${db.dialect.integers(ids)}` : sql`f.vulnerability_id in ${db.dialect.integers(ids)}`
  const findings = await db.all<Omit<StoredFlawFinding, 'identifiers'>>(sql`
    select f.id as finding_id, f.vulnerability_id, f.project_id, f.uuid, f.report_type, f.package_key, f.package_name,
      f.location
    from findings f where ${isListed} order by f.id`)
  const identifiers = await db.all<{ findingId: number; externalType: string; externalId: string }>(sql`
    select fi.finding_id, i.external_type, i.external_id
    from finding_identifiers fi join identifiers i on i.id = fi.identifier_id
    where fi.finding_id in ${db.dialect.integers(findings.map(({ findingId }) => findingId))}
    order by fi.finding_id, fi.position`)
  const byFinding = new Map<number, { externalType: string; externalId: string }[]>()
  for (const { findingId, ...identifier } of identifiers) {
    const known = byFinding.get(findingId)
    if (known) known.push(identifier)
    else byFinding.set(findingId, [identifier])
  }
  return findings.map((finding) => ({ ...finding, identifiers: byFinding.get(finding.findingId) ?? [] }))
}

/** Stores those of the keys that have changed, and returns their number. */
export async function updateFlawKeys(db: Db, keys: readonly { id: number; flawKey: number }[]): Promise<number> {
  if (keys.length === 0) return 0
  return db.run(sql`
    update vulnerabilities set flaw_key = r.flaw_key, version = vulnerabilities.version + 1
    from ${db.dialect.records(keys, { id: 'integer', flawKey: 'integer' })} as r
    where vulnerabilities.id = r.id and vulnerabilities.flaw_key is distinct from r.flaw_key`)
}

/** Returns vulnerabilities without a key. */
export async function listWithoutKey(db: Db, limit: number): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from vulnerabilities where flaw_key is null order by project_id, id limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** Returns the vulnerabilities of a project whose findings have an identifier with one of these names, in lower case. */
export async function listWithNames(
  db: Db,
  projectIds: readonly number[],
  names: readonly string[],
): Promise<number[]> {
  const { integers, texts, asciiLower } = db.dialect
  const rows = await db.all<{ id: number }>(sql`
    select distinct f.vulnerability_id as id
    from identifiers i join finding_identifiers fi on fi.identifier_id = i.id join findings f on f.id = fi.finding_id
    where i.project_id in ${integers(projectIds)} and ${asciiLower(sql`i.external_id`)} in ${texts(names)}
      and f.vulnerability_id is not null
    order by f.vulnerability_id`)
  return rows.map(({ id }) => id)
}

/** Returns vulnerabilities of a project, or of the projects in a group, after an id, in the order of ids. */
export async function listIdsOfOwner(
  db: Db,
  { kind, id }: { kind: 'project' | 'group'; id: number },
  { after, limit }: { after: number; limit: number },
): Promise<number[]> {
  const projects =
    kind === 'project'
      ? sql`${id}`
      : sql`
          select p.id from projects p join namespaces n on n.id = p.namespace_id join namespaces top on top.id = ${id}
          where n.id = top.id
            or n.lineage >= top.lineage || top.id || '/' and n.lineage < top.lineage || top.id || '0'`
  const rows = await db.all<{ id: number }>(sql`
    select id from vulnerabilities where project_id in (${projects}) and id > ${after} order by id limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** Returns projects after an id, in the order of ids. */
export async function listProjectIdsAfter(db: Db, after: number, limit: number): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from projects where id > ${after} order by id limit ${limit}`)
  return rows.map(({ id }) => id)
}
