import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { Visibility } from '../../access/roles.ts'

/** Topic and the number of projects in which it occurs together with another topic. */
export interface RelatedTopicId {
  id: number
  shared: number
}

/** Number of the newest projects of a topic that are compared, so that a frequent topic costs as much as others. */
const maxCompared = 1000

/** Returns the topics that projects of these visibilities have besides the topic, those of most projects first. */
export async function listRelatedIds(
  db: Db,
  topicId: number,
  visibilities: readonly Visibility[],
  limit: number,
): Promise<RelatedTopicId[]> {
  return db.all(sql`
    with compared as materialized (
      select tagged.project_id from project_topics tagged join projects p on p.id = tagged.project_id
      where tagged.topic_id = ${topicId} and p.visibility in ${db.dialect.texts(visibilities)}
      order by tagged.project_id desc limit ${maxCompared}
    )
    select other.topic_id as id, count(*) as shared
    from compared join project_topics other on other.project_id = compared.project_id
    where other.topic_id <> ${topicId}
    group by other.topic_id order by shared desc, other.topic_id limit ${limit}`)
}
