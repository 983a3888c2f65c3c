import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { Audience } from '../../projects/audience.ts'
import { isVisibleTo } from '../visibility/visible-topics-sql.ts'

export interface GroupTopic {
  groupId: number
  topicId: number
}

export async function listGroupTopics(db: Db, groupIds: readonly number[]): Promise<GroupTopic[]> {
  return db.all(sql`
    select group_id, topic_id from group_topics where group_id in ${db.dialect.integers(groupIds)}
    order by group_id, topic_id`)
}

/** Returns the names of the groups' topics that the audience can read. */
export async function listGroupTopicNames(
  db: Db,
  groupIds: readonly number[],
  audience: Audience | undefined,
): Promise<{ groupId: number; name: string }[]> {
  return db.all(sql`
    select a.group_id, topics.name from group_topics a join topics on topics.id = a.topic_id
    where a.group_id in ${db.dialect.integers(groupIds)} ${isVisibleTo(audience)} order by a.group_id, topics.id`)
}

export async function insertGroupTopics(db: Db, groupId: number, topicIds: readonly number[]): Promise<void> {
  await db.run(sql`
    insert into group_topics (group_id, topic_id)
    select ${groupId}, id from topics where id in ${db.dialect.integers(topicIds)} order by id`)
}

export async function deleteGroupTopics(db: Db, groupId: number, topicIds: readonly number[]): Promise<void> {
  await db.run(sql`
    delete from group_topics where group_id = ${groupId} and topic_id in ${db.dialect.integers(topicIds)}`)
}

/** Gives the target to all groups of the source. */
export async function moveGroupTopics(db: Db, sourceId: number, targetId: number): Promise<void> {
  await db.run(sql`
    insert into group_topics (group_id, topic_id)
    select group_id, ${targetId} from group_topics where topic_id = ${sourceId}
    on conflict (group_id, topic_id) do nothing`)
}

/** Project with the place of its namespace. */
export interface PlacedProject {
  projectId: number
  id: number
  lineage: string
}

export async function listPlacedProjects(db: Db, projectIds: readonly number[]): Promise<PlacedProject[]> {
  return db.all(sql`
    select p.id as project_id, n.id, n.lineage from projects p join namespaces n on n.id = p.namespace_id
    where p.id in ${db.dialect.integers(projectIds)} order by p.id`)
}

export interface ProjectTopic {
  projectId: number
  topicId: number
}

const columns = { projectId: 'integer', topicId: 'integer' } as const

export async function insertInherited(db: Db, rows: readonly ProjectTopic[]): Promise<void> {
  await db.run(sql`
    insert into project_topics (project_id, topic_id, own, inherited)
    select r.project_id, r.topic_id, false, true from ${db.dialect.records(rows, columns)} as r where true
    order by r.project_id, r.topic_id
    on conflict (project_id, topic_id) do update set inherited = true`)
}

/** Ends the inheritance of these topics. Topics of the projects themselves stay. */
export async function removeInherited(db: Db, rows: readonly ProjectTopic[]): Promise<void> {
  const listed = db.dialect.records(rows, columns)
  const removed = sql`(project_id, topic_id) in (select r.project_id, r.topic_id from ${listed} as r)`
  await db.run(sql`delete from project_topics where ${removed} and not own`)
  await db.run(sql`update project_topics set inherited = false where ${removed}`)
}
