import sql, { join, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { maxCountedRows, type PageRequest } from '../../page.ts'
import type { Ref, RefName } from './ref.ts'

const columns = sql`r.project_id, r.name, r.last_report_at, r.closed_at`

/** Inserts the ref of a report, or opens it again. */
export async function upsertRef(db: Db, { projectId, name }: RefName, now: string): Promise<void> {
  await db.run(sql`
    insert into refs (project_id, name, last_report_at) values (${projectId}, ${name}, ${now})
    on conflict (project_id, name) do update set last_report_at = ${now}, closed_at = null, is_deleted = false`)
}

/** Returns the refs of a project, those with the newest reports first; one more than the page holds. */
export async function listRefs(db: Db, projectId: number, { perPage, offset }: PageRequest): Promise<Ref[]> {
  return db.all(sql`
    select ${columns} from refs r where r.project_id = ${projectId} and r.is_deleted = false
    order by r.last_report_at desc, r.name limit ${perPage + 1} offset ${offset}`)
}

export async function countRefs(db: Db, projectId: number): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from refs where project_id = ${projectId} and is_deleted = false limit ${maxCountedRows + 1}) as counted`)
  return row?.total ?? 0
}

/** Returns those of the names that are refs of the project. */
export async function listRefNames(db: Db, projectId: number, names: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ name: string }>(sql`
    select name from refs where project_id = ${projectId} and is_deleted = false and name in (${join(names)})`)
  return rows.map(({ name }) => name)
}

/** A ref whose state is checked again before a change. */
export interface LockedRef extends Ref {
  isDeleted: boolean
}

export async function lockRef(db: Db, { projectId, name }: RefName): Promise<LockedRef | undefined> {
  return db.one(sql`
    select ${columns}, r.is_deleted from refs r
    where r.project_id = ${projectId} and r.name = ${name} ${db.dialect.forUpdate}`)
}

export async function markClosed(db: Db, { projectId, name }: RefName, now: string): Promise<void> {
  await db.run(sql`
    update refs set closed_at = ${now} where project_id = ${projectId} and name = ${name} and closed_at is null`)
}

export async function markDeleted(db: Db, { projectId, name }: RefName, now: string): Promise<void> {
  await db.run(sql`
    update refs set closed_at = coalesce(closed_at, ${now}), is_deleted = true
    where project_id = ${projectId} and name = ${name}`)
}

export async function deleteRefRow(db: Db, { projectId, name }: RefName): Promise<void> {
  await db.run(sql`delete from refs where project_id = ${projectId} and name = ${name} and is_deleted = true`)
}

/** Returns the numbers of days that projects set in place of the server's setting. */
export async function listOwnRetentions(db: Db): Promise<number[]> {
  const rows = await db.all<{ days: number }>(sql`
    select distinct ref_retention_days as days from projects where ref_retention_days is not null order by days`)
  return rows.map(({ days }) => days)
}

/** Selection of open refs without a report since a time. */
export interface IdleFilter {
  before: string
  /** Only projects that set this number of days; null selects those without a setting of their own. */
  days: number | null
}

/** An idle ref, with what decides whether it closes. */
export interface IdleRef extends Ref {
  protectedRefs: readonly string[]
}

/** Returns idle refs that are not default branches, the oldest first, after a ref. */
export async function listIdle(
  db: Db,
  { before, days }: IdleFilter,
  { after, limit }: { after: Ref | undefined; limit: number },
): Promise<IdleRef[]> {
  const ofProjects: Sql = days === null ? sql`p.ref_retention_days is null` : sql`p.ref_retention_days = ${days}`
  const { lastReportAt = '', projectId = 0, name = '' } = after ?? {}
  const isAfter = after
    ? sql`and (r.last_report_at, r.project_id, r.name) > (${lastReportAt}, ${projectId}, ${name})`
    : sql``
  return db.all(sql`
    select ${columns}, p.protected_refs from refs r join projects p on p.id = r.project_id
    where r.closed_at is null and r.last_report_at <= ${before} ${isAfter}
      and ${ofProjects} and r.name <> p.default_branch
    order by r.last_report_at, r.project_id, r.name limit ${limit}`)
}
