import type { Migration } from '../migrate.ts'

/** Inserts the texts of findings once per statement, because many findings of a report have the same name or path. */
export const textTriggers: Migration = {
  name: '0163_text_triggers',
  up(engine) {
    // SQLite has only triggers per row.
    if (engine === 'sqlite') return ''
    return `
drop trigger findings_texts_insert on findings;
create function insert_texts_of_added_findings() returns trigger language plpgsql as $$
begin
  insert into finding_texts (project_id, text)
  select distinct a.project_id, t.text
  from added a cross join lateral (values (left(a.name, 255)), (left(a.location_path, 500))) as t(text)
  where t.text is not null order by a.project_id, t.text
  on conflict do nothing;
  return null;
end $$;
create trigger findings_texts_insert after insert on findings referencing new table as added
for each statement execute function insert_texts_of_added_findings();
`
  },
}
