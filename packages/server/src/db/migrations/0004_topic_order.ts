import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Aliases of topics, and merges that can be undone. */
export const topicOrder: Migration = {
  name: '0004_topic_order',
  up(engine) {
    const { id, integer, boolean, time } = columnTypes(engine)
    return `
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
insert into topic_names (organization_id, topic_id, name, name_key, is_alias, created_at)
select organization_id, id, name, name_key, false, created_at from topics order by id;

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
  forgotten_at ${time} -- time at which the data for undoing was deleted
);
create index topic_merges_newest on topic_merges (organization_id, id);
create index topic_merges_source on topic_merges (source_id, id);
create index topic_merges_merged_by on topic_merges (merged_by_id);
create index topic_merges_undone_by on topic_merges (undone_by_id);
create index topic_merges_avatar on topic_merges (source_avatar_key) where source_avatar_key is not null;
create index topic_merges_kept on topic_merges (merged_at, id) where undone_at is null and forgotten_at is null;

create table topic_merge_projects (
  merge_id ${integer} not null references topic_merges(id) on delete cascade,
  project_id ${integer} not null,
  had_both ${boolean} not null,
  primary key (merge_id, project_id)
);

create table topic_merge_aliases (
  merge_id ${integer} not null references topic_merges(id) on delete cascade,
  name text not null,
  name_key text not null,
  created_at ${time} not null,
  primary key (merge_id, name_key)
);
${engine === 'sqlite' ? aliasSearchOnSqlite : aliasSearchOnPostgres}`
  },
}

const aliasSearchOnSqlite = `
create virtual table topic_names_search using fts5 (name, content='topic_names', content_rowid='id', tokenize='trigram');
create trigger topic_names_search_insert after insert on topic_names when new.is_alias begin
  insert into topic_names_search (rowid, name) values (new.id, new.name);
end;
create trigger topic_names_search_delete after delete on topic_names when old.is_alias begin
  insert into topic_names_search (topic_names_search, rowid, name) values ('delete', old.id, old.name);
end;
create trigger topic_names_search_update_old after update of name, is_alias on topic_names when old.is_alias begin
  insert into topic_names_search (topic_names_search, rowid, name) values ('delete', old.id, old.name);
end;
create trigger topic_names_search_update_new after update of name, is_alias on topic_names when new.is_alias begin
  insert into topic_names_search (rowid, name) values (new.id, new.name);
end;
`

const aliasSearchOnPostgres = `
create index topic_names_trigrams on topic_names using gin (lower(name) gin_trgm_ops) where is_alias;
`
