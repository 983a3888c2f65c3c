import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Tables whose rendered rows are cached by version (`http/response/row-cache.ts`). */
const tables = ['vulnerabilities', 'findings'] as const

/**
 * A version of each row, which every change raises. Statements that change many rows raise it themselves, because on
 * SQLite the trigger is a second update of the row. The trigger covers all others, also those of foreign keys.
 */
export const rowVersions: Migration = {
  name: '0044_row_versions',
  up(engine) {
    const { integer } = columnTypes(engine)
    const columns = tables.map((table) => `alter table ${table} add column version ${integer} not null default 0;`)
    return [...columns, ...(engine === 'sqlite' ? tables.map(triggerOnSqlite) : triggersOnPostgres)].join('\n')
  },
}

const triggerOnSqlite = (table: string) => `
create trigger ${table}_version after update on ${table} when new.version = old.version begin
  update ${table} set version = old.version + 1 where id = new.id;
end;`

const triggersOnPostgres = [
  `create function raise_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end $$;`,
  ...tables.map(
    (table) => `create trigger ${table}_version before update on ${table} for each row
when (new.version = old.version) execute function raise_version();`,
  ),
]
