import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { DueDatePolicy } from './due-date-policy.ts'

const columns: Sql = sql`q.id, q.level, q.project_id, q.namespace_id, q.counted_from, q.days, q.created_at, q.updated_at`

/** Returns the policy of the project, else that of the nearest group above it, else that of the instance. */
export async function findPolicyOfProject(db: Db, projectId: number): Promise<DueDatePolicy | undefined> {
  return db.one(sql`
    with recursive above (id, parent_id, distance) as (
      select n.id, n.parent_id, 1 from projects p join namespaces n on n.id = p.namespace_id where p.id = ${projectId}
      union all
      select n.id, n.parent_id, a.distance + 1 from above a join namespaces n on n.id = a.parent_id
    )
    select ${columns} from due_date_policies q left join above on above.id = q.namespace_id
    where q.project_id = ${projectId} or above.id is not null or q.level = 'instance'
    order by case q.level when 'project' then 0 when 'group' then above.distance else 1000 end limit 1`)
}
