import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { type Membership, memberNamespaces, memberProjects } from '../projects/membership-queries.ts'
import type { FindingExtras } from '../vulnerabilities/finding.ts'

/** The projects in which he is a member at this level, and those of his own namespace. */
export async function listMemberProjectIds(db: Db, membership: Membership): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from projects where id in ${memberProjects(membership)} or namespace_id in ${memberNamespaces(membership)}
      or namespace_id in (select id from namespaces where owner_id = ${membership.userId})
    order by id`)
  return rows.map(({ id }) => id)
}

export async function listAllProjectIds(db: Db): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`select id from projects order by id`)
  return rows.map(({ id }) => id)
}

export async function listExtras(
  db: Db,
  findingIds: readonly number[],
): Promise<{ id: number; extras: FindingExtras }[]> {
  return db.all(sql`select id, extras from findings where id in ${db.dialect.integers(findingIds)} order by id`)
}
