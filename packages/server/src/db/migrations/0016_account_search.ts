import type { Migration } from '../migrate.ts'

/** Indexes for searches of groups and users, and for lists by visibility. */
export const accountSearch: Migration = {
  name: '0016_account_search',
  up(engine) {
    return `
create index namespaces_by_visibility on namespaces (kind, visibility, id);
${engine === 'sqlite' ? searchOnSqlite : searchOnPostgres}`
  },
}

const searchOnSqlite =
  searchTable('namespaces', ['name', 'path', 'full_path']) + searchTable('users', ['name', 'username'])

function searchTable(table: string, columns: readonly string[]): string {
  const all = columns.join(', ')
  const values = (row: 'old' | 'new') => columns.map((column) => `${row}.${column}`).join(', ')
  const add = `insert into ${table}_search (rowid, ${all}) values (new.id, ${values('new')});`
  const remove = `insert into ${table}_search (${table}_search, rowid, ${all}) values ('delete', old.id, ${values('old')});`
  return `
create virtual table ${table}_search using fts5 (${all}, content='${table}', content_rowid='id', tokenize='trigram');
insert into ${table}_search (${table}_search) values ('rebuild');
create trigger ${table}_search_insert after insert on ${table} begin ${add} end;
create trigger ${table}_search_delete after delete on ${table} begin ${remove} end;
create trigger ${table}_search_update after update of ${all} on ${table} begin ${remove} ${add} end;
`
}

const searchOnPostgres = `
create index namespaces_name_trigrams on namespaces using gin (lower(name) gin_trgm_ops);
create index namespaces_path_trigrams on namespaces using gin (lower(path) gin_trgm_ops);
create index namespaces_full_path_trigrams on namespaces using gin (lower(full_path) gin_trgm_ops);
create index users_name_trigrams on users using gin (lower(name) gin_trgm_ops);
create index users_username_trigrams on users using gin (lower(username) gin_trgm_ops);
`
