import type { Dialect } from '../../db.ts'

type Engine = Dialect['engine']

/**
 * Returns the indexes for searching parts of words in some columns of a table. On SQLite a full-text table, which
 * triggers keep equal to the columns; on PostgreSQL one trigram index per column.
 */
export function searchIndexes(engine: Engine, table: string, columns: readonly string[]): string {
  return engine === 'sqlite' ? searchTable(table, columns) : trigramIndexes(table, columns)
}

function searchTable(table: string, columns: readonly string[]): string {
  const [add, remove] = [addToSearch(table, columns), removeFromSearch(table, columns)]
  return `
${createSearchTable(table, columns)}
create trigger ${table}_search_insert after insert on ${table} begin ${add} end;
create trigger ${table}_search_delete after delete on ${table} begin ${remove} end;
create trigger ${table}_search_update after update of ${columns.join(', ')} on ${table} begin ${remove} ${add} end;`
}

function trigramIndexes(table: string, columns: readonly string[]): string {
  const create = (column: string) =>
    `create index ${table}_${column}_trigrams on ${table} using gin (lower(${column}) gin_trgm_ops);`
  return columns.map(create).join('\n')
}

/** Returns the SQLite table that indexes the columns without storing their text again. */
export function createSearchTable(table: string, columns: readonly string[]): string {
  return `create virtual table ${table}_search using fts5 (${columns.join(', ')}, content='${table}', content_rowid='id',
  tokenize='trigram');`
}

export function addToSearch(table: string, columns: readonly string[]): string {
  return `insert into ${table}_search (rowid, ${columns.join(', ')}) values (new.id, ${valuesOf('new', columns)});`
}

/** Returns the statement by which an FTS5 table without own content removes a row. It needs the former values. */
export function removeFromSearch(table: string, columns: readonly string[]): string {
  return `insert into ${table}_search (${table}_search, rowid, ${columns.join(', ')})
  values ('delete', old.id, ${valuesOf('old', columns)});`
}

const valuesOf = (row: 'old' | 'new', columns: readonly string[]) =>
  columns.map((column) => `${row}.${column}`).join(', ')
