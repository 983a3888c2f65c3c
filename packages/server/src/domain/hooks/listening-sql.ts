import sql, { empty, type Sql } from 'sql-template-tag'
import type { EventKind, HookOwner } from './hook.ts'

const subscriptions: Record<EventKind, Sql> = {
  vulnerability: sql`has_vulnerability_events = true`,
  import: sql`has_import_events = true`,
  'held-report': sql`(has_vulnerability_events = true or has_import_events = true)`,
  upload: sql`has_upload_events = true`,
  topic: sql`has_topic_events = true`,
  member: sql`has_member_events = true`,
  'expiring-token': sql`has_access_token_events = true`,
  token: sql`has_token_events = true`,
}

/** Condition that a hook is subscribed to events of this kind and not disabled. */
export const isSubscribed = (kind: EventKind): Sql => sql`${subscriptions[kind]} and disabled_at is null`

const ofInstance = sql`namespace_id is null and project_id is null`

/**
 * Selects the hooks of a project or group, of the groups above it and of the instance that are subscribed to events of
 * this kind.
 */
export function selectListeningHooks(columns: Sql, owner: HookOwner, kind: EventKind): Sql {
  const isListening = isSubscribed(kind)
  if (owner.kind === 'instance') return sql`select ${columns} from hooks where ${ofInstance} and ${isListening}`
  const isProject = owner.kind === 'project'
  const own = isProject ? sql`select namespace_id from projects where id = ${owner.id}` : sql`${owner.id}`
  return sql`
    with recursive above (id, parent_id) as (
      select n.id, n.parent_id from namespaces n where n.id = (${own})
      union all
      select n.id, n.parent_id from above a join namespaces n on n.id = a.parent_id
    )
    select ${columns} from hooks
    where (${isProject ? sql`project_id = ${owner.id} or` : empty} namespace_id in (select above.id from above)
        or (${ofInstance}))
      and ${isListening}`
}
