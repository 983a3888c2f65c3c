import type { Dialect } from '../../db.ts'
import type { Migration } from '../../migrate.ts'

type Engine = Dialect['engine']

/** Renames tables, columns and indexes to the standard terms of their ideas. No row changes. */
export const standardTerms: Migration = {
  name: '0042_standard_terms',
  up: (engine) => `
${tables.map(([old, name]) => `alter table ${old} rename to ${name};`).join('\n')}
${columns.map(([table, old, name]) => `alter table ${table} rename column ${old} to ${name};`).join('\n')}
${indexes.map(([old, name, definition]) => renameIndex[engine](old, name, definition)).join('\n')}
${engine === 'postgres' ? renameRest : ''}`,
}

const tables = [
  ['doomed_objects', 'pending_deletions'],
  ['finding_promotion_slices', 'finding_promotion_batches'],
  ['vulnerability_bulks', 'vulnerability_bulk_changes'],
] as const

const columns = [
  ['pending_deletions', 'doomed_at', 'marked_at'],
  ['findings', 'place', 'location_path'],
  ['imports', 'findings_gone', 'findings_absent'],
  ['imports', 'findings_returned', 'findings_reappeared'],
  ['imports', 'run', 'attempt'],
  ['scans', 'seen_at', 'observed_at'],
  ['topic_merges', 'forgotten_at', 'undo_expired_at'],
] as const

/** Old name, new name and definition of each index. SQLite must create it again. */
const indexes = [
  ['doomed_objects_by_time', 'pending_deletions_by_time', 'pending_deletions (marked_at, id)'],
  ['findings_by_place', 'findings_by_location_path', 'findings (project_id, substr(location_path, 1, 500))'],
  ['findings_narrow', 'findings_filter_columns', 'findings (id, vulnerability_id, scanner_id, report_type)'],
  ['findings_waiting', 'findings_unpromoted', 'findings (project_id, id) where vulnerability_id is null'],
  [
    'occurrences_worst',
    'occurrences_by_severity',
    'occurrences (project_id, ref, is_present, state, severity desc, finding_id)',
  ],
  [
    'topic_merges_kept',
    'topic_merges_undoable',
    'topic_merges (merged_at, id) where undone_at is null and undo_expired_at is null',
  ],
  ['topics_by_use', 'topics_by_project_count', 'topics (organization_id, non_private_projects_count desc, id)'],
  [
    'vulnerabilities_by_cell',
    'vulnerabilities_by_facets',
    `vulnerabilities (project_id, is_on_default_branch, severity, state, report_type, scanner_id,
      is_resolved_on_default_branch, coalesce(dismissal_reason, ''), id)`,
  ],
  [
    'vulnerabilities_gone',
    'vulnerabilities_no_longer_detected',
    `vulnerabilities (project_id, report_type, id)
      where is_resolved_on_default_branch = true and state = 'detected'`,
  ],
  [
    'vulnerabilities_worst',
    'vulnerabilities_by_severity',
    'vulnerabilities (project_id, is_on_default_branch, severity desc, id desc)',
  ],
  [
    'vulnerability_bulks_newest',
    'vulnerability_bulk_changes_newest',
    'vulnerability_bulk_changes (project_id, id desc)',
  ],
  ['vulnerability_bulks_user', 'vulnerability_bulk_changes_user', 'vulnerability_bulk_changes (user_id)'],
  [
    'vulnerability_bulks_undone_by',
    'vulnerability_bulk_changes_undone_by',
    'vulnerability_bulk_changes (undone_by_id)',
  ],
  ['vulnerability_history_of', 'vulnerability_history_vulnerability', 'vulnerability_history (vulnerability_id, id)'],
] as const

const renameIndex: Record<Engine, (old: string, name: string, definition: string) => string> = {
  sqlite: (old, name, definition) => `drop index ${old}; create index ${name} on ${definition};`,
  postgres: (old, name) => `alter index ${old} rename to ${name};`,
}

/** Renames what PostgreSQL named after the old names: constraints, sequences, and the body of the trigger function. */
const renameRest = `
do $$
declare
  term record;
  named record;
begin
  for term in select * from (values
    ${[...tables.map(([old, name]) => [name, old, name] as const), ...columns]
      .map(([table, old, name]) => `('${table}', '${old}', '${name}')`)
      .join(',\n    ')}) as terms (owner, old, name)
  loop
    for named in select conname as old, replace(conname, term.old, term.name) as name from pg_constraint
      where conrelid = to_regclass(term.owner) and strpos(conname, term.old) > 0
    loop
      execute format('alter table %I rename constraint %I to %I', term.owner, named.old, named.name);
    end loop;
  end loop;
end $$;
alter sequence doomed_objects_id_seq rename to pending_deletions_id_seq;
alter sequence vulnerability_bulks_id_seq rename to vulnerability_bulk_changes_id_seq;
alter function keep_finding_texts() rename to insert_finding_texts;
create or replace function insert_finding_texts() returns trigger language plpgsql as $$
begin
  insert into finding_texts (project_id, text) values (new.project_id, left(new.name, 255))
  on conflict do nothing;
  if new.location_path is not null then
    insert into finding_texts (project_id, text) values (new.project_id, left(new.location_path, 500))
    on conflict do nothing;
  end if;
  return null;
end $$;
`
