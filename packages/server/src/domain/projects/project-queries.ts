import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { staticStatement } from '../../db/static-statement.ts'
import type { Visibility } from '../access/roles.ts'
import type { Membership } from '../members/member.ts'
import { memberNamespaces, memberProjects } from '../members/membership-sql.ts'
import { lineageRange, type Namespace } from '../namespaces/namespace.ts'
import type { Project } from './project.ts'

/** Columns for `from projects p join namespaces n on n.id = p.namespace_id`. */
export const projectColumns: Sql = sql`p.id, p.organization_id, p.creator_id, p.name, p.path, p.full_path,
  p.description, p.visibility, p.default_branch, p.is_archived, p.star_count, p.enforce_auth_checks_on_uploads,
  p.promote_on_ingestion, p.max_absent_percent, p.default_branch_report_role, p.accept_reporters_files, p.ref_retention_days, p.protected_refs, p.exposure, p.auto_resolve, p.max_upload_bytes, p.upload_quota_bytes, p.avatar_filename, p.created_at, p.updated_at,
  p.last_activity_at,
  n.id as "namespace.id", n.organization_id as "namespace.organization_id", n.kind as "namespace.kind",
  n.name as "namespace.name", n.path as "namespace.path", n.full_path as "namespace.full_path",
  n.full_name as "namespace.full_name", n.description as "namespace.description",
  n.visibility as "namespace.visibility",
  n.promote_on_ingestion as "namespace.promote_on_ingestion", n.avatar_filename as "namespace.avatar_filename", n.parent_id as "namespace.parent_id", n.owner_id as "namespace.owner_id",
  n.lineage as "namespace.lineage", n.created_at as "namespace.created_at", n.updated_at as "namespace.updated_at"`

export async function findProjectById(db: Db, id: number): Promise<Project | undefined> {
  return db.one(projectById(db, id))
}

const projectById = staticStatement(
  () => (id: number) =>
    sql`
    select ${projectColumns} from projects p join namespaces n on n.id = p.namespace_id where p.id = ${id}`,
)

export async function findProjectByPath(db: Db, fullPath: string): Promise<Project | undefined> {
  return db.one(sql`
    select ${projectColumns} from projects p join namespaces n on n.id = p.namespace_id
    where p.full_path_key = ${fullPath.toLowerCase()}`)
}

export async function listProjectsById(db: Db, ids: readonly number[]): Promise<Project[]> {
  return db.all(projectsById(db, ids))
}

const projectsById = staticStatement(
  ({ integers }) =>
    (ids: readonly number[]) =>
      sql`
    select ${projectColumns} from projects p join namespaces n on n.id = p.namespace_id
    where p.id in ${integers(ids)} order by p.id`,
)

/** Locks the project's row until the transaction ends. Returns false when the project does not exist. */
export async function lockProject(db: Db, id: number): Promise<boolean> {
  return (await db.one(sql`select id from projects where id = ${id} ${db.dialect.forNoKeyUpdate}`)) !== undefined
}

/** Locks the projects until the transaction ends, so that no other transaction adds rows to them. */
export async function lockProjects(db: Db, ids: readonly number[]): Promise<void> {
  await db.all(sql`select id from projects where id in ${db.dialect.integers(ids)} order by id ${db.dialect.forUpdate}`)
}

/**
 * Locks a project against deletion until the transaction ends. A deletion locks the project before its rows; a
 * transaction that locks rows of the project first would deadlock with it.
 */
export async function lockAgainstDeletion(db: Db, projectId: number): Promise<void> {
  await db.one(sql`select id from projects where id = ${projectId} ${db.dialect.forKeyShare}`)
}

export type ProjectDraft = Pick<
  Project,
  | 'name'
  | 'path'
  | 'description'
  | 'visibility'
  | 'defaultBranch'
  | 'enforceAuthChecksOnUploads'
  | 'promoteOnIngestion'
  | 'maxAbsentPercent'
  | 'defaultBranchReportRole'
  | 'acceptReportersFiles'
  | 'refRetentionDays'
  | 'protectedRefs'
  | 'exposure'
  | 'autoResolve'
>

/** Inserts a project. Returns `undefined` when the namespace has a project of that name, or the path is taken. */
export async function insertProject(
  db: Db,
  namespace: Namespace,
  { draft, creatorId, now }: { draft: ProjectDraft; creatorId: number; now: string },
): Promise<number | undefined> {
  const fullPath = `${namespace.fullPath}/${draft.path}`
  const key = fullPath.toLowerCase()
  const row = await db.one<{ id: number }>(sql`
    insert into projects (organization_id, namespace_id, creator_id, name, path, full_path, full_path_key, description,
      visibility, default_branch, enforce_auth_checks_on_uploads, promote_on_ingestion, max_absent_percent,
      default_branch_report_role, accept_reporters_files, ref_retention_days, protected_refs, exposure, applied_exposure, auto_resolve, created_at, updated_at, last_activity_at)
    select ${namespace.organizationId}, ${namespace.id}, ${creatorId}, ${draft.name}, ${draft.path}, ${fullPath},
      ${key}, ${draft.description}, ${draft.visibility}, ${draft.defaultBranch}, ${draft.enforceAuthChecksOnUploads},
      ${draft.promoteOnIngestion}, ${draft.maxAbsentPercent}, ${draft.defaultBranchReportRole}, ${draft.acceptReportersFiles}, ${draft.refRetentionDays},
      ${draft.protectedRefs}, ${draft.exposure}, ${draft.exposure}, ${draft.autoResolve}, ${now}, ${now}, ${now}
    where not exists (select 1 from namespaces where full_path_key = ${key})
    on conflict do nothing
    returning id`)
  return row?.id
}

/** Updates a project. Throws a unique violation when the name or path is taken. */
export async function updateProject(db: Db, project: Project, now: string): Promise<void> {
  await db.run(sql`
    update projects set namespace_id = ${project.namespace.id}, name = ${project.name}, path = ${project.path}, full_path = ${project.fullPath},
      full_path_key = ${project.fullPath.toLowerCase()}, description = ${project.description},
      visibility = ${project.visibility}, default_branch = ${project.defaultBranch},
      enforce_auth_checks_on_uploads = ${project.enforceAuthChecksOnUploads},
      promote_on_ingestion = ${project.promoteOnIngestion},
      max_absent_percent = ${project.maxAbsentPercent},
      default_branch_report_role = ${project.defaultBranchReportRole}, accept_reporters_files = ${project.acceptReportersFiles},
      ref_retention_days = ${project.refRetentionDays}, protected_refs = ${project.protectedRefs}, exposure = ${project.exposure}, auto_resolve = ${project.autoResolve},
      is_archived = ${project.isArchived}, updated_at = ${now}
    where id = ${project.id}`)
}

/** Returns which of the name and path are taken by another project or group. */
export async function findTaken(
  db: Db,
  {
    namespaceId,
    name,
    fullPath,
    exceptId,
  }: { namespaceId: number; name: string; fullPath: string; exceptId: number | null },
): Promise<{ name: boolean; path: boolean }> {
  const key = fullPath.toLowerCase()
  const rows = await db.all<{ taken: 'name' | 'path' }>(sql`
    select 'name' as taken from projects
    where namespace_id = ${namespaceId} and name = ${name} and id <> ${exceptId ?? 0}
    union all
    select 'path' as taken from projects where full_path_key = ${key} and id <> ${exceptId ?? 0}
    union all
    select 'path' as taken from namespaces where full_path_key = ${key}`)
  const taken = new Set(rows.map((row) => row.taken))
  return { name: taken.has('name'), path: taken.has('path') }
}

/** Updates the full paths of all projects in a renamed group and below it. */
export async function updateProjectPathsBelow(db: Db, before: Namespace, after: Namespace): Promise<void> {
  const [from, to] = lineageRange(after)
  await db.run(sql`
    update projects set
      full_path = ${after.fullPath} || substr(full_path, ${before.fullPath.length + 1}),
      full_path_key = ${after.fullPath.toLowerCase()} || substr(full_path_key, ${before.fullPath.length + 1})
    where namespace_id in (
      select id from namespaces where id = ${before.id} or (lineage >= ${from} and lineage < ${to}))`)
}

/** Sets the visibility of those projects in a namespace and below it that have one of the others. Returns their ids. */
export async function narrowVisibilitiesBelow(
  db: Db,
  namespace: Namespace,
  { from, to, now }: { from: readonly Visibility[]; to: Visibility; now: string },
): Promise<number[]> {
  const [first, end] = lineageRange(namespace)
  const rows = await db.all<{ id: number }>(sql`
    update projects set visibility = ${to}, updated_at = ${now}
    where visibility in ${db.dialect.texts(from)} and namespace_id in (
      select id from namespaces where id = ${namespace.id} or (lineage >= ${first} and lineage < ${end}))
    returning id`)
  return rows.map(({ id }) => id)
}

export async function deleteProjectById(db: Db, id: number): Promise<void> {
  await db.run(sql`delete from projects where id = ${id}`)
}

export async function countProjectsIn(db: Db, namespaceId: number): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from projects where namespace_id = ${namespaceId}`)
  return row?.total ?? 0
}

/** Returns the ids of the projects in these namespaces and below them. */
export async function listProjectIdsBelow(
  db: Db,
  namespaces: readonly Pick<Namespace, 'id' | 'lineage'>[],
): Promise<number[]> {
  const ids: number[] = []
  for (const namespace of namespaces) {
    const [from, to] = lineageRange(namespace)
    const rows = await db.all<{ id: number }>(sql`
      select id from projects where namespace_id in (
        select id from namespaces where id = ${namespace.id} or (lineage >= ${from} and lineage < ${to}))
      order by id`)
    ids.push(...rows.map((row) => row.id))
  }
  return ids
}

/** Inserts a star. Returns false when the user had already starred the project. */
export async function insertStar(db: Db, projectId: number, userId: number, now: string): Promise<boolean> {
  const changed = await db.run(sql`
    insert into project_stars (project_id, user_id, created_at) values (${projectId}, ${userId}, ${now})
    on conflict (project_id, user_id) do nothing`)
  return changed === 1
}

/** Deletes a star. Returns false when the user had not starred the project. */
export async function deleteStar(db: Db, projectId: number, userId: number): Promise<boolean> {
  const changed = await db.run(sql`
    delete from project_stars where project_id = ${projectId} and user_id = ${userId}`)
  return changed === 1
}

export async function adjustStarCount(db: Db, id: number, change: 1 | -1): Promise<void> {
  await db.run(sql`update projects set star_count = star_count + ${change} where id = ${id}`)
}

export async function updateStarCounts(db: Db, projectIds: readonly number[]): Promise<void> {
  await db.run(sql`
    update projects set star_count = (select count(*) from project_stars s where s.project_id = projects.id)
    where id in ${db.dialect.integers(projectIds)}`)
}

export async function hasWrongStarCount(db: Db, projectId: number): Promise<boolean> {
  const row = await db.one(sql`
    select id from projects
    where id = ${projectId}
      and star_count <> (select count(*) from project_stars s where s.project_id = projects.id)`)
  return row !== undefined
}

/** Returns the ids of the next projects after the given one. */
export async function listProjectIds(db: Db, after: number, limit: number): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`select id from projects where id > ${after} order by id limit ${limit}`)
  return rows.map(({ id }) => id)
}

export async function listStarredProjectIds(db: Db, userId: number): Promise<number[]> {
  const rows = await db.all<{ projectId: number }>(sql`
    select project_id from project_stars where user_id = ${userId} order by project_id`)
  return rows.map((row) => row.projectId)
}

/** Updates the limits. Null removes a limit. */
export async function updateUploadLimits(
  db: Db,
  projectId: number,
  maxUploadBytes: number | null,
  uploadQuotaBytes: number | null,
): Promise<void> {
  await db.run(sql`
    update projects set max_upload_bytes = ${maxUploadBytes}, upload_quota_bytes = ${uploadQuotaBytes}
    where id = ${projectId}`)
}

/** Projects of a list of ids. Absent fields match everything. */
interface ReachedProjects {
  /** A namespace with those below it. */
  within?: Pick<Namespace, 'id' | 'lineage'> | undefined
  /** Only projects that the membership covers. */
  member?: Membership | undefined
  /** A project must have a topic of each list. */
  topics: readonly (readonly number[])[]
  /** Only these projects. */
  ids?: readonly number[] | undefined
}

export async function listProjectIdsReached(
  db: Db,
  { within, member, topics, ids }: ReachedProjects,
): Promise<number[]> {
  const conditions: Sql[] = ids ? [sql`p.id in ${db.dialect.integers(ids)}`] : []
  if (within) {
    const [from, to] = lineageRange(within)
    conditions.push(sql`p.namespace_id in (
      select id from namespaces where id = ${within.id} or (lineage >= ${from} and lineage < ${to}))`)
  }
  // A union of ids uses the indexes of both conditions; `or` would test every project.
  if (member) {
    conditions.push(sql`p.id in (
      select direct.project_id from ${memberProjects(member)} as direct
      union all select inherited.id from projects inherited where inherited.namespace_id in ${memberNamespaces(member)})`)
  }
  if (topics.length > 0) {
    // A project has at most one topic of each list, that of its organization.
    conditions.push(sql`p.id in (
      select tagged.project_id from project_topics tagged where tagged.topic_id in ${db.dialect.integers(topics.flat())}
      group by tagged.project_id having count(*) = ${topics.length})`)
  }
  const where = conditions.length > 0 ? sql`where ${join(conditions, ' and ')}` : empty
  const rows = await db.all<{ id: number }>(sql`select p.id from projects p ${where} order by p.id`)
  return rows.map(({ id }) => id)
}

/** Records that the vulnerabilities of a project have this exposure. */
export async function updateAppliedExposure(db: Db, projectId: number, exposure: string): Promise<void> {
  await db.run(sql`update projects set applied_exposure = ${exposure} where id = ${projectId}`)
}
