import sql, { empty, type Sql } from 'sql-template-tag'
import type { EventKind, HookOwner } from './hook.ts'

const subscriptions: Record<EventKind, Sql> = {
  vulnerability: sql`has_vulnerability_events = true`,
  'access-token': sql`has_access_token_events = true`,
}

/** Selects the hooks of a project or group and of the groups above it that are subscribed to events of this kind. */
export function selectListeningHooks(columns: Sql, { kind: ownerKind, id }: HookOwner, kind: EventKind): Sql {
  const isProject = ownerKind === 'project'
  const own = isProject ? sql`select namespace_id from projects where id = ${id}` : sql`${id}`
  return sql`
    with recursive above (id, parent_id) as (
      select n.id, n.parent_id from namespaces n where n.id = (${own})
      union all
      select n.id, n.parent_id from above a join namespaces n on n.id = a.parent_id
    )
    select ${columns} from hooks
    where (${isProject ? sql`project_id = ${id} or` : empty} namespace_id in (select above.id from above))
      and ${subscriptions[kind]} and disabled_at is null`
}
