import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'

export interface NamedTopic {
  id: number
  name: string
  projects: number
}

/** Returns a batch of topics, ordered by id. */
export function listNamesAfter(db: Db, organizationId: number, afterId: number, limit: number): Promise<NamedTopic[]> {
  // The unary plus keeps SQLite from using the organization's index, so that rows come in id order without sorting.
  return db.all(sql`
    select id, name, total_projects_count as projects from topics
    where id > ${afterId} and +organization_id = ${organizationId} order by id limit ${limit}`)
}

/**
 * Returns a MinHash signature of each topic's projects: the minimum of four hash functions. Similar sets share most of
 * these values.
 */
export async function listSmallest(
  db: Db,
  topicIds: readonly number[],
): Promise<{ topicId: number; least: number[] }[]> {
  const rows = await db.all<{ topicId: number; one: number; two: number; three: number; four: number }>(sql`
    select topic_id, min((project_id * 1103515245 + 12345) % 2147483647) as one,
      min((project_id * 1664525 + 1013904223) % 2147483647) as two,
      min((project_id * 69069 + 362437) % 2147483647) as three,
      min((project_id * 214013 + 2531011) % 2147483647) as four
    from project_topics where topic_id in ${db.dialect.integers(topicIds)} group by topic_id`)
  return rows.map((row) => ({ topicId: row.topicId, least: [row.one, row.two, row.three, row.four] }))
}

/** Returns the number of projects that the topics of each pair share. Omits pairs without shared projects. */
export function countShared(
  db: Db,
  pairs: readonly { first: number; second: number }[],
): Promise<{ first: number; second: number; shared: number }[]> {
  return db.all(sql`
    select r.first, r.second, count(*) as shared
    from ${db.dialect.records(pairs, { first: 'integer', second: 'integer' })} as r
    join project_topics a on a.topic_id = r.first
    join project_topics b on b.project_id = a.project_id and b.topic_id = r.second
    group by r.first, r.second`)
}
