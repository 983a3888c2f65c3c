import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Texts elsewhere that refer to uploads, by their source. */
export const uploadReferences: Migration = {
  name: '0116_upload_references',
  up(engine) {
    const { id, integer, time } = columnTypes(engine)
    return `
create table upload_reference_sources (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  source text not null,
  created_at ${time} not null,
  updated_at ${time} not null,
  unique (project_id, source)
);
create index upload_reference_sources_created on upload_reference_sources (project_id, created_at);
create table upload_references (
  source_id ${integer} not null references upload_reference_sources(id) on delete cascade,
  upload_id ${integer} not null references uploads(id) on delete cascade,
  uses ${integer} not null,
  primary key (source_id, upload_id)
);
create index upload_references_upload on upload_references (upload_id);
alter table uploads add column reference_ended_at ${time};
`
  },
}
