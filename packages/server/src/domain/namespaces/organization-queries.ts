import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { maxCountedRows, type PageRequest } from '../page.ts'
import type { NewOrganization, Organization } from './organization.ts'

const columns = sql`o.id, o.name, o.path, o.description, o.is_public, o.created_at, o.updated_at`

/** User whose readable organizations are queried; undefined stands for an anonymous request. `today` is YYYY-MM-DD. */
export interface Insider {
  userId: number | undefined
  today: string
}

/** Returns the organization if the user can read it. Without `insider` any organization is returned. */
export async function findOrganization(
  db: Db,
  id: number,
  insider: Insider | undefined,
): Promise<Organization | undefined> {
  return db.one(sql`
    select ${columns} from organizations o where o.id = ${id} ${isReadable(insider)}`)
}

/** Returns one row more than the page holds. */
export async function listOrganizations(
  db: Db,
  insider: Insider | undefined,
  page: PageRequest,
): Promise<Organization[]> {
  return db.all(sql`
    select ${columns} from organizations o where 1 = 1 ${isReadable(insider)}
    order by o.id limit ${page.perPage + 1} offset ${page.offset}`)
}

/** Counts readable organizations, up to one above the maximum total of lists. */
export async function countOrganizations(db: Db, insider: Insider | undefined): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from
      (select 1 from organizations o where 1 = 1 ${isReadable(insider)} limit ${maxCountedRows + 1}) as counted`)
  return row?.total ?? 0
}

export async function hasPrivateOrganization(db: Db): Promise<boolean> {
  return (await db.one(sql`select 1 as found from organizations where not is_public limit 1`)) !== undefined
}

/** Locks an organization until the transaction ends. Rows that refer to it can still be inserted. */
export async function lockOrganization(db: Db, id: number): Promise<void> {
  await db.one(sql`select id from organizations where id = ${id} ${db.dialect.forNoKeyUpdate}`)
}

/** Inserts an organization. Returns `undefined` when the path is taken. */
export async function insertOrganization(
  db: Db,
  fresh: NewOrganization,
  createdById: number,
  now: string,
): Promise<Organization | undefined> {
  return db.one(sql`
    insert into organizations (name, path, description, is_public, created_by_id, created_at, updated_at)
    values (${fresh.name}, ${fresh.path.toLowerCase()}, ${fresh.description}, ${fresh.isPublic}, ${createdById},
      ${now}, ${now})
    on conflict (path) do nothing
    returning id, name, path, description, is_public, created_at, updated_at`)
}

/** Condition for organizations that are public, created by the user, or have a group or project of the user. */
function isReadable(insider: Insider | undefined): Sql {
  if (!insider) return empty
  const { userId, today } = insider
  if (userId === undefined) return sql`and o.is_public`
  return sql`and (o.is_public or o.created_by_id = ${userId} or o.id in (
    select n.organization_id from members m left join projects p on p.id = m.project_id
      join namespaces n on n.id = coalesce(m.namespace_id, p.namespace_id)
    where m.user_id = ${userId} and (m.expires_on is null or m.expires_on > ${today})))`
}
