import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { staticStatement } from '../../db/static-statement.ts'
import type { AvatarFile } from '../files/avatar-file.ts'
import { maxCountedRows, type PageRequest } from '../page.ts'
import type { Audience } from '../projects/audience.ts'
import type { TopicSearch } from './search.ts'
import type { Topic, TopicDraft } from './topic.ts'
import { aliasesWithTerms, topicNamed } from './topic-name-queries.ts'
import { isVisibleTo } from './visibility/visible-topics-sql.ts'

const columns: Sql = sql`id, organization_id, name, title, description, avatar_key as "avatar.object_key",
  coalesce(avatar_filename, 'avatar') as "avatar.filename",
  coalesce(avatar_content_type, 'application/octet-stream') as "avatar.content_type",
  coalesce(avatar_bytes, 0) as "avatar.bytes", avatar_sha256 as "avatar.sha256", total_projects_count, created_at, updated_at`

export interface TopicFilter {
  organizationId: number
  search?: TopicSearch | undefined
  /** Lower-cased name or alias of the topic. */
  nameKey?: string | undefined
  withoutProjects: boolean
  /** Only topics that this audience can read. */
  audience?: Audience | undefined
}

/** Returns the ids of one topic more than the page holds, most used first. A search orders by similarity first. */
export async function listTopicIds(
  db: Db,
  filter: TopicFilter,
  { perPage, offset }: Pick<PageRequest, 'perPage' | 'offset'>,
): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from topics where ${matches(db, filter)}
    order by ${orderOf(db, filter)} limit ${perPage + 1} offset ${offset}`)
  return rows.map(({ id }) => id)
}

/** Place of a topic in the list without a search. */
export interface TopicPosition {
  projects: number
  id: number
}

/**
 * Returns the positions of the first topics with fewer projects, or with as many and a greater id, most used first. Both
 * together would take a condition with `or`, for which the index is scanned from its start.
 */
export async function listTopicPositions(
  db: Db,
  filter: TopicFilter,
  range: { fewerThan: number } | { after: TopicPosition },
  limit: number,
): Promise<TopicPosition[]> {
  const inRange = 'after' in range ? follows(range.after) : sql`and non_private_projects_count < ${range.fewerThan}`
  return db.all(sql`
    select non_private_projects_count as projects, id from topics where ${matches(db, filter)} ${inRange}
    order by non_private_projects_count desc, id limit ${limit}`)
}

/** Returns the position after a number of topics, counted from the start or from another position. */
export async function findTopicPosition(
  db: Db,
  filter: TopicFilter,
  skipped: number,
  after?: TopicPosition,
): Promise<TopicPosition | undefined> {
  return db.one(sql`
    select non_private_projects_count as projects, id from topics
    where ${matches(db, filter)} ${after ? follows(after) : empty}
    order by non_private_projects_count desc, id limit 1 offset ${skipped}`)
}

const follows = ({ projects, id }: TopicPosition) => sql`and non_private_projects_count = ${projects} and id > ${id}`

function orderOf({ dialect }: Db, { search }: TopicFilter): Sql {
  const similar = search?.kind === 'terms' ? sql`${dialect.similarity(sql`name`, search.query)} desc,` : empty
  return sql`${similar} non_private_projects_count desc, id`
}

/** Counts matching topics, up to one above the maximum total of lists. */
export async function countTopics(db: Db, filter: TopicFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from topics where ${matches(db, filter)} limit ${maxCountedRows + 1}
    ) as counted`)
  return row?.total ?? 0
}

function matches(db: Db, { organizationId, search, nameKey, withoutProjects, audience }: TopicFilter): Sql {
  const named =
    nameKey === undefined ? empty : sql`and topics.id ${db.dialect.among(topicNamed(organizationId, nameKey))}`
  const unused = withoutProjects ? sql`${named} and total_projects_count = 0` : named
  const rest = audience ? sql`${unused} ${isVisibleTo(audience)}` : unused
  if (search?.kind === 'terms') {
    const contains = db.dialect.containsTerms('topics', ['name', 'title'], search.terms)
    const aliased = db.dialect.among(aliasesWithTerms(db, search.terms))
    // The unary plus keeps SQLite from scanning all topics of the organization; the search index is more selective.
    return sql`(${contains} or topics.id ${aliased}) and +organization_id = ${organizationId} ${rest}`
  }
  if (!search) return sql`organization_id = ${organizationId} ${rest}`
  const key = search.text.toLowerCase()
  const aliased = db.dialect.among(topicNamed(organizationId, key))
  return sql`organization_id = ${organizationId} ${rest}
    and (name_key = ${key} or title_key = ${key} or topics.id ${aliased})`
}

export async function findTopic(db: Db, id: number): Promise<Topic | undefined> {
  return db.one(topicById(db, id))
}

const topicById = staticStatement(() => (id: number) => sql`select ${columns} from topics where id = ${id}`)

export async function listTopicsById(db: Db, ids: readonly number[]): Promise<Topic[]> {
  return db.all(sql`
    select ${columns} from topics where id in ${db.dialect.integers(ids)} order by id`)
}

/** Returns similar names, most similar first. */
export async function listNearest(
  db: Db,
  { organizationId, audience }: Pick<TopicFilter, 'organizationId' | 'audience'>,
  name: string,
  limit: number,
): Promise<string[]> {
  const similar = db.dialect.similarity(sql`name`, name)
  const rows = await db.all<{ name: string }>(sql`
    select name from topics
    where ${db.dialect.resembles('topics', 'name', name)} and +organization_id = ${organizationId} and ${similar} > 0.3
      ${isVisibleTo(audience)}
    order by ${similar} desc, non_private_projects_count desc, id limit ${limit}`)
  return rows.map((row) => row.name)
}

/** Locks the topics until the transaction ends, in id order, so that concurrent requests cannot deadlock. */
export async function lockTopics(db: Db, ids: readonly number[]): Promise<Topic[]> {
  return db.all(sql`
    select ${columns} from topics where id in ${db.dialect.integers(ids)} order by id ${db.dialect.forUpdate}`)
}

/** Inserts a topic. Returns `undefined` when the organization already has a topic of that name, ignoring case. */
export async function insertTopic(
  db: Db,
  organizationId: number,
  { draft, avatar, now }: { draft: TopicDraft; avatar: AvatarFile | null; now: string },
): Promise<Topic | undefined> {
  return db.one(sql`
    insert into topics (organization_id, name, name_key, title, title_key, description,
      avatar_key, avatar_filename, avatar_content_type, avatar_bytes, avatar_sha256, created_at, updated_at)
    values (${organizationId}, ${draft.name}, ${draft.name.toLowerCase()}, ${draft.title},
      ${draft.title.toLowerCase()}, ${draft.description}, ${avatar?.objectKey}, ${avatar?.filename},
      ${avatar?.contentType}, ${avatar?.bytes}, ${avatar?.sha256}, ${now}, ${now})
    on conflict (organization_id, name_key) do nothing
    returning ${columns}`)
}

/** Updates a topic. Throws a unique violation when the name is taken. */
export async function updateTopic(
  db: Db,
  id: number,
  { draft, avatar, now }: { draft: TopicDraft; avatar: AvatarFile | null; now: string },
): Promise<Topic | undefined> {
  return db.one(sql`
    update topics set name = ${draft.name}, name_key = ${draft.name.toLowerCase()}, title = ${draft.title},
      title_key = ${draft.title.toLowerCase()}, description = ${draft.description},
      avatar_key = ${avatar?.objectKey}, avatar_filename = ${avatar?.filename},
      avatar_content_type = ${avatar?.contentType}, avatar_bytes = ${avatar?.bytes},
      avatar_sha256 = ${avatar?.sha256}, updated_at = ${now}
    where id = ${id}
    returning ${columns}`)
}

/** Deletes a topic and its assignments. Returns false when it does not exist. */
export async function deleteTopic(db: Db, id: number): Promise<boolean> {
  return (await db.run(sql`delete from topics where id = ${id}`)) === 1
}

/** Assigns the target to all projects of the source, as their own or inherited as the source was. */
export async function moveAssignments(db: Db, sourceId: number, targetId: number): Promise<void> {
  await db.run(sql`
    insert into project_topics (project_id, topic_id, own, inherited)
    select project_id, ${targetId}, own, inherited from project_topics where topic_id = ${sourceId}
    on conflict (project_id, topic_id) do update
      set own = project_topics.own or excluded.own, inherited = project_topics.inherited or excluded.inherited`)
}

/** Recomputes both counters from the assignments. */
export async function recountTopics(db: Db, ids: readonly number[]): Promise<void> {
  await db.run(sql`
    update topics set
      total_projects_count = (select count(*) from project_topics a where a.topic_id = topics.id),
      non_private_projects_count = (
        select count(*) from project_topics a join projects p on p.id = a.project_id
        where a.topic_id = topics.id and p.visibility <> 'private')
    where id in ${db.dialect.integers(ids)}`)
}

export async function adjustCounts(db: Db, ids: readonly number[], total: number, nonPrivate: number): Promise<void> {
  await db.run(sql`
    update topics set total_projects_count = total_projects_count + ${total},
      non_private_projects_count = non_private_projects_count + ${nonPrivate}
    where id in ${db.dialect.integers(ids)}`)
}

export async function listAssignedTopicIds(db: Db, projectIds: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ topicId: number }>(sql`
    select distinct topic_id from project_topics
    where project_id in ${db.dialect.integers(projectIds)} order by topic_id`)
  return rows.map((row) => row.topicId)
}

export interface Assignment {
  projectId: number
  topicId: number
  /** Assigned to the project itself. */
  own: boolean
  /** In effect because a group of the project has the topic. */
  inherited: boolean
}

export async function listAssignments(db: Db, projectIds: readonly number[]): Promise<Assignment[]> {
  return db.all(sql`
    select project_id, topic_id, own, inherited from project_topics
    where project_id in ${db.dialect.integers(projectIds)} order by project_id, topic_id`)
}

/** Assigns each of the topics to each of the projects as its own. */
export async function assignToAll(db: Db, projectIds: readonly number[], topicIds: readonly number[]): Promise<void> {
  await db.run(sql`
    insert into project_topics (project_id, topic_id)
    select p.id, t.id from projects p cross join topics t
    where p.id in ${db.dialect.integers(projectIds)} and t.id in ${db.dialect.integers(topicIds)} order by p.id, t.id
    on conflict (project_id, topic_id) do update set own = true`)
}

/** Removes the topics from the projects' own. Inherited ones stay in effect. */
export async function removeFromAll(db: Db, projectIds: readonly number[], topicIds: readonly number[]): Promise<void> {
  const removed = sql`project_id in ${db.dialect.integers(projectIds)} and topic_id in ${db.dialect.integers(topicIds)}`
  await db.run(sql`delete from project_topics where ${removed} and not inherited`)
  await db.run(sql`update project_topics set own = false where ${removed}`)
}

export async function listAssignedNames(
  db: Db,
  projectIds: readonly number[],
): Promise<{ projectId: number; name: string; own: boolean; inherited: boolean }[]> {
  return db.all(sql`
    select a.project_id, t.name, a.own, a.inherited from project_topics a join topics t on t.id = a.topic_id
    where a.project_id in ${db.dialect.integers(projectIds)} order by a.project_id, t.id`)
}

/** Removes the avatars of these topics. */
export async function clearAvatars(db: Db, topicIds: readonly number[]): Promise<void> {
  await db.run(sql`
    update topics set avatar_key = null, avatar_filename = null, avatar_content_type = null, avatar_bytes = null,
      avatar_sha256 = null
    where id in ${db.dialect.integers(topicIds)}`)
}

/** Returns the topics whose stored counts of projects are wrong. */
export async function listWronglyCounted(db: Db): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select t.id from topics t
    left join (
      select a.topic_id, count(*) as total, sum(case when p.visibility = 'private' then 0 else 1 end) as open
      from project_topics a join projects p on p.id = a.project_id group by a.topic_id
    ) as counted on counted.topic_id = t.id
    where t.total_projects_count <> coalesce(counted.total, 0)
      or t.non_private_projects_count <> coalesce(counted.open, 0)
    order by t.id`)
  return rows.map((row) => row.id)
}
