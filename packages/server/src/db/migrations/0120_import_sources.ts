import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Objects of other servers that groups, projects, topics and users were imported from, and which are mirrors of them. */
export const importSources: Migration = {
  name: '0120_import_sources',
  up(engine) {
    const { id, integer, time } = columnTypes(engine)
    return `
create table import_sources (
  id ${id},
  source text not null, -- address of the other server
  kind text not null check (kind in ('group', 'project', 'topic', 'user')),
  source_id text not null,
  namespace_id ${integer} references namespaces(id) on delete cascade,
  project_id ${integer} references projects(id) on delete cascade,
  topic_id ${integer} references topics(id) on delete cascade,
  user_id ${integer} references users(id) on delete cascade,
  mirror text check (mirror in ('none', 'triage', 'all', 'detached')), -- permitted local changes; null: not a mirror
  mirrored_by_id ${integer} references users(id) on delete set null,
  avatar_sha256 text, -- of the picture in the source
  created_at ${time} not null,
  updated_at ${time} not null,
  unique (source, kind, source_id),
  check ((namespace_id is not null) = (kind = 'group') and (project_id is not null) = (kind = 'project')
    and (topic_id is not null) = (kind = 'topic') and (user_id is not null) = (kind = 'user'))
);
create index import_sources_namespace on import_sources (namespace_id) where namespace_id is not null;
create index import_sources_project on import_sources (project_id) where project_id is not null;
create index import_sources_topic on import_sources (topic_id) where topic_id is not null;
create index import_sources_user on import_sources (user_id) where user_id is not null;
create index import_sources_mirrored_by on import_sources (mirrored_by_id) where mirrored_by_id is not null;
`
  },
}
