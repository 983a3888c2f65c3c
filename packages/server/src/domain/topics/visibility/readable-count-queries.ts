import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { Audience } from '../../projects/audience.ts'
import { isReadableBy } from './visible-topics-sql.ts'

/** Counts the projects of each topic that the audience has. Omits topics without such a project. */
export async function countReadableProjects(
  db: Db,
  topicIds: readonly number[],
  audience: Audience,
): Promise<{ id: number; total: number }[]> {
  return db.all(sql`
    select a.topic_id as id, count(*) as total from project_topics a join projects p on p.id = a.project_id
    where a.topic_id in ${db.dialect.integers(topicIds)} and ${isReadableBy(audience)}
    group by a.topic_id order by a.topic_id`)
}
