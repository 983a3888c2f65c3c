import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { TopicFilter } from '../topic-queries.ts'
import { isVisibleTo } from '../visibility/visible-topics-sql.ts'
import type { VocabularyTopic } from './vocabulary.ts'

/** Stored topic with the fields of a vocabulary file. */
export interface StoredTopic extends VocabularyTopic {
  id: number
  avatarKey: string | null
}

type StoredRow = Omit<StoredTopic, 'aliases'>

/** Returns a batch of topics with their aliases, ordered by id. */
export async function listStoredAfter(
  db: Db,
  { organizationId, audience }: Pick<TopicFilter, 'organizationId' | 'audience'>,
  afterId: number,
  limit: number,
): Promise<StoredTopic[]> {
  // The unary plus keeps SQLite from using the organization's index, so that rows come in id order without sorting.
  const rows = await db.all<StoredRow>(sql`
    select id, name, title, description, avatar_key from topics
    where id > ${afterId} and +organization_id = ${organizationId} ${isVisibleTo(audience)}
    order by id limit ${limit}`)
  return withAliases(db, rows)
}

/** Locks and returns the topics that any of the lower-cased names resolves to. */
export async function lockStoredNamed(
  db: Db,
  organizationId: number,
  nameKeys: readonly string[],
): Promise<StoredTopic[]> {
  const rows = await db.all<StoredRow>(sql`
    select id, name, title, description, avatar_key from topics
    where id in (
      select topic_id from topic_names
      where organization_id = ${organizationId} and name_key in ${db.dialect.texts(nameKeys)})
    order by id ${db.dialect.forUpdate}`)
  return withAliases(db, rows)
}

/** Locks and returns all topics of an organization. */
export async function lockStored(db: Db, organizationId: number): Promise<StoredTopic[]> {
  const rows = await db.all<StoredRow>(sql`
    select id, name, title, description, avatar_key from topics
    where organization_id = ${organizationId} order by id ${db.dialect.forUpdate}`)
  return withAliases(db, rows)
}

async function withAliases(db: Db, rows: readonly StoredRow[]): Promise<StoredTopic[]> {
  const named = await db.all<{ topicId: number; name: string }>(sql`
    select topic_id, name from topic_names
    where is_alias and topic_id in ${db.dialect.integers(rows.map((row) => row.id))} order by topic_id, name_key`)
  const aliases = new Map<number, string[]>()
  for (const { topicId, name } of named) {
    const known = aliases.get(topicId)
    if (known) known.push(name)
    else aliases.set(topicId, [name])
  }
  return rows.map((row) => ({ ...row, aliases: aliases.get(row.id) ?? [] }))
}

export async function deleteTopics(db: Db, ids: readonly number[]): Promise<void> {
  await db.run(sql`delete from topics where id in ${db.dialect.integers(ids)}`)
}

export async function deleteAliasesOf(db: Db, topicIds: readonly number[]): Promise<void> {
  await db.run(sql`delete from topic_names where is_alias and topic_id in ${db.dialect.integers(topicIds)}`)
}

/** Updates title, description and the case of the name. The lower-cased name stays the same. */
export async function updateStored(
  db: Db,
  topics: readonly { id: number; name: string; title: string; description: string | null }[],
  now: string,
): Promise<void> {
  const rows = topics.map(({ id, name, title, description }) => ({
    id,
    name,
    title,
    titleKey: title.toLowerCase(),
    description,
  }))
  const columns = { id: 'integer', name: 'text', title: 'text', titleKey: 'text', description: 'text' } as const
  await db.run(sql`
    update topics set name = r.name, title = r.title, title_key = r.title_key, description = r.description,
      updated_at = ${now}
    from ${db.dialect.records(rows, columns)} as r where topics.id = r.id`)
  await db.run(sql`
    update topic_names set name = r.name
    from ${db.dialect.records(rows, columns)} as r where topic_names.topic_id = r.id and not topic_names.is_alias`)
}

/** Inserts topics and returns their ids by lower-cased name. Omits names that a concurrent request has taken. */
export async function insertStored(
  db: Db,
  organizationId: number,
  topics: readonly VocabularyTopic[],
  now: string,
): Promise<Map<string, number>> {
  const rows = topics.map(({ name, title, description }) => ({
    name,
    nameKey: name.toLowerCase(),
    title,
    titleKey: title.toLowerCase(),
    description,
  }))
  const columns = { name: 'text', nameKey: 'text', title: 'text', titleKey: 'text', description: 'text' } as const
  const inserted = await db.all<{ id: number; nameKey: string }>(sql`
    insert into topics (organization_id, name, name_key, title, title_key, description, created_at, updated_at)
    select cast(${organizationId} as bigint), r.name, r.name_key, r.title, r.title_key, r.description, ${now}, ${now}
    from ${db.dialect.records(rows, columns)} as r where true
    on conflict (organization_id, name_key) do nothing
    returning id, name_key`)
  return new Map(inserted.map((row) => [row.nameKey, row.id]))
}

/** Inserts names and returns how many of them were free. */
export function insertNames(
  db: Db,
  organizationId: number,
  names: readonly { topicId: number; name: string; isAlias: boolean }[],
  now: string,
): Promise<number> {
  const rows = names.map(({ topicId, name, isAlias }) => ({
    topicId,
    name,
    nameKey: name.toLowerCase(),
    isAlias,
  }))
  const columns = { topicId: 'integer', name: 'text', nameKey: 'text', isAlias: 'boolean' } as const
  return db.run(sql`
    insert into topic_names (organization_id, topic_id, name, name_key, is_alias, created_at)
    select cast(${organizationId} as bigint), r.topic_id, r.name, r.name_key, r.is_alias, ${now}
    from ${db.dialect.records(rows, columns)} as r where true
    on conflict (organization_id, name_key) do nothing`)
}
