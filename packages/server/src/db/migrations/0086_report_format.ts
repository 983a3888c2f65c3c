import type { Migration } from '../migrate.ts'

/** Exports with the format `html`. The check of the column excluded it; SQLite can only drop it with its column. */
export const reportFormat: Migration = {
  name: '0086_report_format',
  up: () => `
alter table vulnerability_exports add column new_format text not null default 'csv'; -- csv, json, sarif, html
update vulnerability_exports set new_format = format;
alter table vulnerability_exports drop column format;
alter table vulnerability_exports rename column new_format to format;
`,
}
