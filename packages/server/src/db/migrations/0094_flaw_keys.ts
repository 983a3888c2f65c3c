import type { Dialect } from '../db.ts'
import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Groups of vulnerabilities that are one flaw. A job computes the keys of stored ones (`domain/vulnerabilities/flaws/`). */
export const flawKeys: Migration = {
  name: '0094_flaw_keys',
  up(engine) {
    const { integer, boolean } = columnTypes(engine)
    return `
alter table vulnerabilities add column flaw_key ${integer}; -- null until it has been computed
-- Covers the groups of a project with any combination of facets.
create index vulnerabilities_by_flaw on vulnerabilities (project_id, flaw_key, is_on_default_branch, severity, state,
  report_type, scanner_id, is_resolved_on_default_branch, dismissal_reason, priority);
create index vulnerabilities_of_flaw on vulnerabilities (flaw_key, project_id, id);

-- Names of one advisory that a report lists for one finding, in both directions.
create table flaw_aliases (
  name text not null,
  alias text not null,
  is_applied ${boolean} not null default false, -- whether vulnerabilities with these names have the right key
  primary key (name, alias)
);
create index flaw_aliases_new on flaw_aliases (name) where is_applied = false;
insert into jobs (kind, key, payload, run_at, scheduled_at, created_at)
  select 'flaw-keys', 'flaw-keys', ${noPayload[engine]}, ${now[engine]}, ${now[engine]}, ${now[engine]}
  where exists (select 1 from vulnerabilities);
`
  },
}

const noPayload: Record<Dialect['engine'], string> = { sqlite: `'{}'`, postgres: `'{}'::json` }

const now: Record<Dialect['engine'], string> = {
  sqlite: `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`,
  postgres: 'now()',
}
