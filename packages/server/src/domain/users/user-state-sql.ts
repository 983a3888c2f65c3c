import sql, { raw, type Sql } from 'sql-template-tag'

/** SQL of a user's state. Deactivated users are stored as `active` and banned users as `blocked`, each with a flag. */
export const stateIn = (table: string): Sql => sql`case
  when ${raw(table)}.state = 'active' and ${raw(table)}.is_deactivated then 'deactivated'
  when ${raw(table)}.state = 'blocked' and ${raw(table)}.is_banned then 'banned'
  else ${raw(table)}.state end`

/** SQL that selects a user's state in a query on other tables. */
export function selectState(table: 'users' | 'u' | 'c', name: 'state' | 'user_state' | 'creator_state' = 'state'): Sql {
  return sql`${stateIn(table)} as ${raw(name)}`
}
