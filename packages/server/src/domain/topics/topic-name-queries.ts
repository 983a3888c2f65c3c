import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

/** Alternative name of a topic. */
export interface Alias {
  id: number
  topicId: number
  name: string
  createdAt: string
}

/** Query of the topics with an alias that contains all of the terms. */
export function aliasesWithTerms(db: Db, terms: readonly string[]): Sql {
  return sql`select topic_id from topic_names
    where is_alias and ${db.dialect.containsTerms('topic_names', ['name'], terms)}`
}

/** Query of the topic that a lower-cased name or alias resolves to. */
export function topicNamed(organizationId: number, nameKey: string): Sql {
  return sql`select topic_id from topic_names where organization_id = ${organizationId} and name_key = ${nameKey}`
}

/** Resolves lower-cased names and aliases, and locks both names and topics until the transaction ends. */
export async function lockTopicsNamed(
  db: Db,
  organizationId: number,
  nameKeys: readonly string[],
): Promise<{ topicId: number; nameKey: string; isAlias: boolean }[]> {
  return db.all(sql`
    select t.id as topic_id, n.name_key, n.is_alias from topic_names n join topics t on t.id = n.topic_id
    where n.organization_id = ${organizationId} and n.name_key in ${db.dialect.texts(nameKeys)}
    order by t.id, n.name_key ${db.dialect.forUpdate}`)
}

/** Inserts a name. Returns `undefined` when the name already resolves to a topic, ignoring case. */
export async function claimName(
  db: Db,
  topic: { id: number; organizationId: number },
  { name, kind, now }: { name: string; kind: 'own' | 'alias'; now: string },
): Promise<Alias | undefined> {
  return db.one(sql`
    insert into topic_names (organization_id, topic_id, name, name_key, is_alias, created_at)
    values (${topic.organizationId}, ${topic.id}, ${name}, ${name.toLowerCase()}, ${kind === 'alias'}, ${now})
    on conflict (organization_id, name_key) do nothing
    returning id, topic_id, name, created_at`)
}

/** Renames a topic. Throws a unique violation when the name resolves to another topic. */
export async function changeOwnName(db: Db, topicId: number, name: string): Promise<void> {
  await db.run(sql`
    update topic_names set name = ${name}, name_key = ${name.toLowerCase()}
    where topic_id = ${topicId} and not is_alias`)
}

/** Returns the topic's aliases, ordered by name. */
export async function listAliases(db: Db, topicId: number, page?: { limit: number; offset: number }): Promise<Alias[]> {
  const { limit, offset } = page ?? { limit: Number.MAX_SAFE_INTEGER, offset: 0 }
  return db.all(sql`
    select id, topic_id, name, created_at from topic_names where topic_id = ${topicId} and is_alias
    order by name_key limit ${limit} offset ${offset}`)
}

export async function countAliases(db: Db, topicId: number): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from topic_names where topic_id = ${topicId} and is_alias`)
  return row?.total ?? 0
}

/** Deletes an alias. Returns false when the topic has no such alias. */
export async function deleteAlias(db: Db, topicId: number, nameKey: string): Promise<boolean> {
  return (
    (await db.run(sql`
      delete from topic_names where topic_id = ${topicId} and is_alias and name_key = ${nameKey}`)) === 1
  )
}

/** Turns the source's name and aliases into aliases of the target, before the source is deleted. */
export async function moveNames(db: Db, sourceId: number, targetId: number): Promise<void> {
  await db.run(sql`update topic_names set topic_id = ${targetId}, is_alias = true where topic_id = ${sourceId}`)
}

export async function deleteOwnName(db: Db, topicId: number): Promise<void> {
  await db.run(sql`delete from topic_names where topic_id = ${topicId} and not is_alias`)
}
