import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { Namespace } from '../../namespaces/namespace.ts'
import { lineageRange } from '../../namespaces/namespace.ts'
import type { DueDateOwner } from '../../projects/queue-due-dates.ts'
import type { DueDatePolicy, DueDateRule } from './due-date-policy.ts'

const names = sql`id, level, project_id, namespace_id, counted_from, days, created_at, updated_at`

const columns: Sql = sql`q.id, q.level, q.project_id, q.namespace_id, q.counted_from, q.days, q.created_at, q.updated_at`

const isOf = (owner: DueDateOwner): Sql =>
  owner.kind === 'instance'
    ? sql`level = 'instance'`
    : owner.kind === 'project'
      ? sql`project_id = ${owner.id}`
      : sql`namespace_id = ${owner.id}`

export async function findPolicyOf(db: Db, owner: DueDateOwner): Promise<DueDatePolicy | undefined> {
  return db.one(sql`select ${names} from due_date_policies where ${isOf(owner)}`)
}

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

/** Returns the policies of these namespaces, and that of the instance. */
export async function listPoliciesAbove(db: Db, namespaceIds: readonly number[]): Promise<DueDatePolicy[]> {
  return db.all(sql`
    select ${names} from due_date_policies
    where namespace_id in ${db.dialect.integers(namespaceIds)} or level = 'instance' order by id`)
}

/** Inserts or replaces the policy of an owner. */
export async function upsertPolicy(
  db: Db,
  owner: DueDateOwner,
  { countedFrom, days }: DueDateRule,
  now: string,
): Promise<void> {
  const projectId = owner.kind === 'project' ? owner.id : null
  const namespaceId = owner.kind === 'group' ? owner.id : null
  const inserted = await db.run(sql`
    insert into due_date_policies (level, project_id, namespace_id, counted_from, days, created_at, updated_at)
    values (${owner.kind}, ${projectId}, ${namespaceId}, ${countedFrom}, ${days}, ${now}, ${now})
    on conflict do nothing`)
  if (inserted > 0) return
  await db.run(sql`
    update due_date_policies set counted_from = ${countedFrom}, days = ${days}, updated_at = ${now}
    where ${isOf(owner)}`)
}

export async function deletePolicy(db: Db, owner: DueDateOwner): Promise<void> {
  await db.run(sql`delete from due_date_policies where ${isOf(owner)}`)
}

/** Returns the projects to which a policy of this level applies, or would apply: those without a closer one. */
export async function listGovernedProjects(db: Db, owner: DueDateOwner, group?: Namespace): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select p.id from projects p join namespaces n on n.id = p.namespace_id
    where ${isBelow(owner, group)}
      and (${owner.kind} = 'project' or not exists (select 1 from due_date_policies q where q.project_id = p.id))
      and (${owner.kind} = 'project' or not exists (
        select 1 from due_date_policies q join namespaces m on m.id = q.namespace_id
        where (m.id = n.id or n.lineage >= m.lineage || m.id || '/' and n.lineage < m.lineage || m.id || '0')
          and ${isDeeper(group)}))
    order by p.id`)
  return rows.map(({ id }) => id)
}

function isBelow(owner: DueDateOwner, group: Namespace | undefined): Sql {
  if (owner.kind === 'project') return sql`p.id = ${owner.id}`
  if (!group) return sql`true`
  const [from, to] = lineageRange(group)
  return sql`(n.id = ${group.id} or n.lineage >= ${from} and n.lineage < ${to})`
}

/** Groups below the owner have a closer policy; below the instance are all. */
function isDeeper(group: Namespace | undefined): Sql {
  if (!group) return sql`true`
  const [from, to] = lineageRange(group)
  return sql`m.lineage >= ${from} and m.lineage < ${to}`
}
