import type { Migration } from '../../migrate.ts'
import { columnTypes } from '../column-types.ts'

/**
 * Administrator rights of deferred work; the ghost user, which replaces deleted users; GitLab attributes that are
 * stored without effect; and uploads that count against the share of non-members.
 */
export const rightsAndGhost: Migration = {
  name: '0035_rights_and_ghost',
  up(engine) {
    const { boolean, json } = columnTypes(engine)
    return `
-- Whether the request had administrator rights. In admin mode, some tokens of administrators do not.
alter table vulnerability_exports add column as_admin ${boolean} not null default false;
alter table vulnerability_exports add column exported_project_ids ${json}; -- null until the file is written
alter table imports add column as_admin ${boolean} not null default false;
alter table finding_promotions add column as_admin ${boolean} not null default false;
update vulnerability_exports set as_admin = true
where status in ('created', 'running') and coalesce(project_id, namespace_id) is not null
  and author_id in (select id from users where is_admin = true);
update imports set as_admin = true
where state in ('waiting', 'running') and user_id in (select id from users where is_admin = true);
update finding_promotions set as_admin = true
where state = 'running' and user_id in (select id from users where is_admin = true);

alter table projects add column gitlab_attributes ${json};
alter table namespaces add column gitlab_attributes ${json};
alter table hooks add column gitlab_attributes ${json};

alter table uploads add column is_from_outsider ${boolean} not null default false;
create index uploads_from_outsiders on uploads (project_id, bytes) where is_from_outsider = true and deleted_at is null;

alter table users add column is_ghost ${boolean} not null default false;
create unique index users_ghost on users (is_ghost) where is_ghost = true;

-- The ghost exists only after a user was deleted, under the first free name.
with recursive numbers (i) as (
  select 0
  union all
  select i + 1 from numbers where exists (select 1 from users where ${usesName})
)
insert into users (username, username_key, email, email_key, name, is_ghost, can_create_group, projects_limit, created_at,
  updated_at)
select ${usernameOf}, ${usernameOf}, ${emailOf}, ${emailOf}, 'Ghost User', true, false, 0, ${now[engine]}, ${now[engine]}
from (select max(i) as i from numbers) as numbers
where ${repairs.map(({ table, condition }) => `exists (select 1 from ${table} where ${condition})`).join('\n  or ')};
${repairs
  .map(
    ({ table, column, condition }) =>
      `update ${table} set ${column} = (select id from users where is_ghost = true) where ${condition};`,
  )
  .join('\n')}
`
  },
}

const usernameOf = `'ghost' || case when numbers.i = 0 then '' else cast(numbers.i as text) end`
const emailOf = `${usernameOf} || '@alcove.invalid'`
const usesName = `users.username_key = ${usernameOf} or users.email_key = ${emailOf}`

const now = { sqlite: `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`, postgres: 'now()' }

/** Entries of users. Changes of states and severities by an import have no user but a ref. */
const historyOfUsers = `user_id is null and (ref is null or kind not in ('state', 'severity'))`

/** References that were set to null when their user was deleted. A user made each of these rows or changes. */
const repairs = [
  { table: 'vulnerabilities', column: 'author_id', condition: 'author_id is null' },
  {
    table: 'vulnerabilities',
    column: 'confirmed_by_id',
    condition: 'confirmed_by_id is null and confirmed_at is not null',
  },
  {
    table: 'vulnerabilities',
    column: 'dismissed_by_id',
    condition: 'dismissed_by_id is null and dismissed_at is not null',
  },
  {
    table: 'vulnerabilities',
    column: 'resolved_by_id',
    condition: 'resolved_by_id is null and resolved_at is not null and is_auto_resolved = false',
  },
  { table: 'vulnerability_history', column: 'user_id', condition: historyOfUsers },
  { table: 'vulnerability_links', column: 'user_id', condition: 'user_id is null' },
  { table: 'vulnerability_bulks', column: 'user_id', condition: 'user_id is null' },
  {
    table: 'vulnerability_bulks',
    column: 'undone_by_id',
    condition: 'undone_by_id is null and undone_at is not null',
  },
  { table: 'finding_promotions', column: 'user_id', condition: 'user_id is null' },
  { table: 'imports', column: 'user_id', condition: 'user_id is null' },
  { table: 'uploads', column: 'uploaded_by_id', condition: 'uploaded_by_id is null' },
  { table: 'uploads', column: 'deleted_by_id', condition: 'deleted_by_id is null and deleted_at is not null' },
  { table: 'topic_merges', column: 'merged_by_id', condition: 'merged_by_id is null' },
  { table: 'topic_merges', column: 'undone_by_id', condition: 'undone_by_id is null and undone_at is not null' },
  { table: 'projects', column: 'creator_id', condition: 'creator_id is null' },
] as const
