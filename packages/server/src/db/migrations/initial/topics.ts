import type { ColumnTypes } from '../column-types.ts'
import { addToSearch, createSearchTable, removeFromSearch, searchIndexes } from './search.ts'

/** Topics, their aliases and assignments to projects, and merges that can be undone. */
export const topics = ({ engine, id, integer, boolean, time }: ColumnTypes) => `
create table topics (
  id ${id},
  organization_id ${integer} not null references organizations(id) on delete cascade,
  name text not null,
  name_key text not null, -- lower case
  title text not null,
  title_key text not null, -- lower case
  description text,
  avatar_key text,
  avatar_filename text,
  avatar_content_type text,
  avatar_bytes ${integer},
  total_projects_count ${integer} not null default 0,
  non_private_projects_count ${integer} not null default 0,
  created_at ${time} not null,
  updated_at ${time} not null,
  unique (organization_id, name_key)
);
create index topics_by_avatar on topics (avatar_key) where avatar_key is not null;
create index topics_by_project_count on topics (organization_id, non_private_projects_count desc, id);
create index topics_by_title on topics (organization_id, title_key);
create index topics_unused on topics (organization_id, non_private_projects_count desc, id) where total_projects_count = 0;
${searchIndexes(engine, 'topics', ['name', 'title'])}

-- Names and aliases of topics. One unique key covers both, which settles races.
create table topic_names (
  id ${id},
  organization_id ${integer} not null references organizations(id) on delete cascade,
  topic_id ${integer} not null references topics(id) on delete cascade,
  name text not null,
  name_key text not null, -- lower case
  is_alias ${boolean} not null,
  created_at ${time} not null,
  unique (organization_id, name_key)
);
create index topic_names_topic on topic_names (topic_id, is_alias, name_key);
${engine === 'sqlite' ? aliasSearchOnSqlite : aliasSearchOnPostgres}

create table project_topics (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  topic_id ${integer} not null references topics(id) on delete cascade,
  unique (project_id, topic_id)
);
create index project_topics_topic on project_topics (topic_id, project_id);

-- Journal of merges. Ids of topics and projects are not foreign keys, because the journal outlives them.
create table topic_merges (
  id ${id},
  organization_id ${integer} not null references organizations(id) on delete cascade,
  source_id ${integer} not null,
  source_name text not null,
  source_title text not null,
  source_description text,
  source_avatar_key text,
  source_avatar_filename text,
  source_avatar_content_type text,
  source_avatar_bytes ${integer},
  source_created_at ${time} not null,
  source_updated_at ${time} not null,
  target_id ${integer} not null,
  target_name text not null,
  moved_projects_count ${integer} not null,
  shared_projects_count ${integer} not null,
  keeps_alias ${boolean} not null,
  merged_by_id ${integer} references users(id) on delete set null,
  merged_at ${time} not null,
  undone_by_id ${integer} references users(id) on delete set null,
  undone_at ${time},
  undo_expired_at ${time} -- time at which the data for undoing was deleted
);
create index topic_merges_newest on topic_merges (organization_id, id);
create index topic_merges_source on topic_merges (source_id, id);
create index topic_merges_merged_by on topic_merges (merged_by_id);
create index topic_merges_undone_by on topic_merges (undone_by_id);
create index topic_merges_avatar on topic_merges (source_avatar_key) where source_avatar_key is not null;
create index topic_merges_undoable on topic_merges (merged_at, id) where undone_at is null and undo_expired_at is null;

create table topic_merge_projects (
  merge_id ${integer} not null references topic_merges(id) on delete cascade,
  project_id ${integer} not null,
  had_both ${boolean} not null, -- the project had source and target before the merge
  primary key (merge_id, project_id)
);

create table topic_merge_aliases (
  merge_id ${integer} not null references topic_merges(id) on delete cascade,
  name text not null,
  name_key text not null, -- lower case
  created_at ${time} not null,
  primary key (merge_id, name_key)
);
`

// Only aliases are searched here, because the table of topics has the names.
const [addName, removeName] = [addToSearch('topic_names', ['name']), removeFromSearch('topic_names', ['name'])]
const aliasSearchOnSqlite = `
${createSearchTable('topic_names', ['name'])}
create trigger topic_names_search_insert after insert on topic_names when new.is_alias begin ${addName} end;
create trigger topic_names_search_delete after delete on topic_names when old.is_alias begin ${removeName} end;
create trigger topic_names_search_update_old after update of name, is_alias on topic_names when old.is_alias begin
  ${removeName} end;
create trigger topic_names_search_update_new after update of name, is_alias on topic_names when new.is_alias begin
  ${addName} end;`

const aliasSearchOnPostgres = `
create index topic_names_trigrams on topic_names using gin (lower(name) gin_trgm_ops) where is_alias;`
