import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { stateIn } from '../../users/user-state-sql.ts'
import type { IssueLink, IssueState, LinkType } from './link.ts'

const linkColumns: Sql = sql`l.id, l.vulnerability_id, l.link_type, l.url, l.title, l.state, l.closed_at, l.created_at,
  l.updated_at, u.id as "author.id", u.username as "author.username", u.name as "author.name",
  ${stateIn('u')} as "author.state", u.avatar_filename as "author.avatar_filename"`

export async function listLinks(db: Db, vulnerabilityIds: readonly number[]): Promise<IssueLink[]> {
  return db.all(sql`
    select ${linkColumns} from vulnerability_links l left join users u on u.id = l.user_id
    where l.vulnerability_id in ${db.dialect.integers(vulnerabilityIds)} order by l.id`)
}

/** Returns the links after locking the vulnerability, so that concurrent requests wait until the transaction ends. */
export async function lockLinks(db: Db, vulnerabilityId: number): Promise<IssueLink[]> {
  await db.all(sql`select id from vulnerabilities where id = ${vulnerabilityId} ${db.dialect.forNoKeyUpdate}`)
  return listLinks(db, [vulnerabilityId])
}

export async function findLink(db: Db, vulnerabilityId: number, id: number): Promise<IssueLink | undefined> {
  return db.one(sql`
    select ${linkColumns} from vulnerability_links l left join users u on u.id = l.user_id
    where l.id = ${id} and l.vulnerability_id = ${vulnerabilityId}`)
}

export async function findVulnerabilityOfLink(db: Db, id: number): Promise<number | undefined> {
  const row = await db.one<{ vulnerabilityId: number }>(sql`
    select vulnerability_id from vulnerability_links where id = ${id}`)
  return row?.vulnerabilityId
}

export interface LinkDraft {
  vulnerabilityId: number
  userId: number
  linkType: LinkType
  url: string
  title: string
  now: string
}

export async function insertLink(db: Db, draft: LinkDraft): Promise<number> {
  const row = await db.one<{ id: number }>(sql`
    insert into vulnerability_links (vulnerability_id, user_id, link_type, url, title, created_at, updated_at)
    values (${draft.vulnerabilityId}, ${draft.userId}, ${draft.linkType}, ${draft.url}, ${draft.title}, ${draft.now},
      ${draft.now})
    returning id`)
  if (!row) throw new Error('an inserted link returned no id')
  return row.id
}

/** Stores the title and state that the tracker returned. */
export async function updateIssue(
  db: Db,
  id: number,
  { title, state, closedAt, now }: { title: string; state: IssueState; closedAt: string | null; now: string },
): Promise<void> {
  await db.run(sql`
    update vulnerability_links set title = ${title}, state = ${state}, closed_at = ${closedAt}, updated_at = ${now}
    where id = ${id}`)
}

/** Returns false if another request has deleted the link. */
export async function deleteLink(db: Db, id: number): Promise<boolean> {
  return (await db.run(sql`delete from vulnerability_links where id = ${id}`)) === 1
}
