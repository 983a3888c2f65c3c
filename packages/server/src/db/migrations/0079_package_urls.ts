import type { Dialect } from '../db.ts'
import type { Migration } from '../migrate.ts'

/** Packages of findings. A job computes those of stored findings (`domain/reports/imports/compute-packages.ts`). */
export const packageUrls: Migration = {
  name: '0079_package_urls',
  up(engine) {
    return `
alter table findings add column package_url text; -- canonical; null if the ecosystem is unknown
alter table findings add column package_key text; -- package_url without version, qualifiers and subpath
alter table findings add column package_name text; -- in lower case and without the namespace
create index findings_by_package on findings (project_id, package_name${engine === 'sqlite' ? '' : ', id'})
  where package_name is not null;
insert into jobs (kind, key, payload, run_at, scheduled_at, created_at)
  select 'package-urls', 'package-urls', ${noPayload[engine]}, ${now[engine]}, ${now[engine]}, ${now[engine]}
  where exists (select 1 from findings);
`
  },
}

const noPayload: Record<Dialect['engine'], string> = { sqlite: `'{}'`, postgres: `'{}'::json` }

const now: Record<Dialect['engine'], string> = {
  sqlite: `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`,
  postgres: 'now()',
}
