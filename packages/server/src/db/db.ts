import type { Sql } from 'sql-template-tag'

/**
 * A place to run SQL: the database itself, or one transaction. Rows come back as plain objects with snake_case keys;
 * booleans are booleans, timestamps ISO 8601 strings with milliseconds, `json` columns parsed values, integers numbers.
 *
 * SQLite goes by the declared type of a column, which also passes through subqueries, CTEs and `returning`; what is
 * computed (`a = b`, `coalesce(…)`, `max(…)`) has none: booleans are then 0 and 1, and JSON is text.
 *
 * Bound objects and arrays become JSON text (write `JSON.stringify` for a string that is to be JSON), `undefined` null;
 * a `Date` is refused. PostgreSQL guesses the type of a parameter from its place; where there is nothing to guess from,
 * as in `select ${n}`, write `cast(${n} as bigint)`.
 */
export interface Db {
  readonly dialect: Dialect
  /** All rows, in the order of the query. */
  all<Row>(query: Sql): Promise<Row[]>
  /** The first row or `undefined`. Works for `insert … returning` too, which changes all its rows. */
  one<Row>(query: Sql): Promise<Row | undefined>
  /** The number of rows changed; of a statement that returns rows, how many. */
  run(query: Sql): Promise<number>
  /**
   * Resolves when everything committed so far would outlive a power cut. Who commits something hears of it only then;
   * others may see it earlier, and wait for this before they do what cannot be undone. Inside a transaction: at once.
   */
  settled(): Promise<void>
}

export interface Database extends Db {
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. Writers queue; on
   * PostgreSQL a serialization failure or deadlock runs `work` again, so it must not have effects outside the database.
   * A statement that fails spoils the transaction, even when its error is caught: use `on conflict` instead of catching.
   * Inside `work` the database itself must not be written to: on SQLite that waits for `work` and fails after a minute.
   */
  transaction<T>(work: (db: Db) => Promise<T>, options?: TransactionOptions): Promise<T>
  readonly changes: Changes
  /** Rejects when the database does not answer. */
  ready(): Promise<void>
  /**
   * Resolves when the disk failed in a way that only a restart can recover from. From then on every write is refused as
   * `unavailable`; the process should end soon. Stays pending while all is well, and always on PostgreSQL.
   */
  readonly broken: Promise<Error>
  /** Reads the whole database and returns what is damaged. On PostgreSQL nothing: it checks what it reads itself. */
  check(options?: { isThorough?: boolean }): Promise<string[]>
  close(): Promise<void>
}

export interface TransactionOptions {
  /**
   * The commit does not wait for the disk. A power cut may undo it, whole, together with others of the kind; a killed
   * process does not. For what would be made again.
   */
  isProvisional?: boolean
}

/**
 * Counts commits per table, so that a cache can tell whether what it holds may be shown: an entry made at stamp n is
 * valid as long as the stamp is n. Changes through foreign keys (`on delete cascade`) count for the tables they reach.
 */
export interface Changes {
  /**
   * The current stamp of these tables together, or `undefined` when it cannot be known (the connection that reads the
   * commits of other processes is lost): nothing may be served from a cache then, nor put into it.
   */
  stamp(tables: readonly string[]): number | undefined
  /**
   * Resolves when every commit of another process that ended before this call is counted; `undefined` when there can be
   * none. Requests await it before they use a cache, so what one process answered holds in all of them.
   */
  synchronize(): Promise<void> | undefined
  /** Tells of every commit that changed the table, here or in another process. Returns how to stop listening. */
  watch(table: string, told: () => void): () => void
}

/** The places where the two engines' SQL differs, and nothing else. Everything here returns a fragment. */
export interface Dialect {
  readonly engine: 'sqlite' | 'postgres'
  /** A one-column subquery of integers, for `where id in ${db.dialect.integers(ids)}`. Any length, also none. */
  integers(values: readonly number[]): Sql
  /** A table with the column `value`: the integers in a text that is a JSON list. */
  integersIn(text: Sql): Sql
  /** The same for text; the column is called `value` too. */
  texts(values: readonly string[]): Sql
  /**
   * A table made from records, for bulk inserts: `select … from ${db.dialect.records(rows, { name: 'text' })} as r`.
   * Values are passed as one JSON parameter; a missing or undefined field is null. Before `on conflict` SQLite needs a
   * `where true`, or it takes `on` for a join.
   */
  records(rows: readonly object[], columns: RecordColumns): Sql
  /** The same of rows that were written down before, perhaps by another thread. */
  recordsOf(texts: readonly string[], columns: RecordColumns): Sql
  /** One row, for `recordsOf` of the same engine. */
  recordText(row: object, columns: RecordColumns): string
  /** Locks the selected rows until the end of the transaction where the engine has row locks; else nothing. */
  readonly forUpdate: Sql
  /** The same, but rows that refer to them may come meanwhile, such as those of a long import to its project. */
  readonly forNoKeyUpdate: Sql
  /** Keeps the selected rows from being deleted until the end of the transaction; others may change them meanwhile. */
  readonly forKeyShare: Sql
  /** pg_trgm's `similarity(a, b)` rounded to two decimals. */
  similarity(column: Sql, text: string): Sql
  /**
   * A condition on the rows of a table: one of the columns contains all the terms, whatever their case. Terms have three
   * characters or more; a trigram index serves it (on SQLite the FTS5 table `<table>_search`).
   */
  containsTerms(table: string, columns: readonly string[], terms: readonly string[], range?: IdRange): Sql
  /**
   * How many rows a search may be let loose on where everybody waits while one statement runs: ask range by range.
   * Infinite where nobody waits.
   */
  readonly searchedAtOnce: number
  /** Behind a table's name: SQLite would read a whole row by its id, however wide; this index has all that is asked. */
  indexedBy(index: string): Sql
  /** `in (…)` for a subquery of ids that stands in an `or`. */
  among(ids: Sql): Sql
  /** One of several parts of a `union all`, of which all together the first rows are wanted: read no further than needed. */
  partOfUnion(select: Sql, orderAndLimit: Sql): Sql
  /**
   * A condition on the rows of a table: the column has something of the text, served by the same index. Compare those it
   * finds by `similarity`.
   */
  resembles(table: string, column: string, text: string): Sql
  /** True when the lower-cased column contains the text (case-insensitive, no wildcards). */
  contains(column: Sql, text: string): Sql
  /** The text with A to Z as a to z, whatever the locale. */
  asciiLower(text: Sql): Sql
  /** Whole seconds since 1970 of a time. */
  seconds(time: Sql): Sql
}

/** Ids above one and up to another. */
export interface IdRange {
  above: number
  upTo: number
}

export type RecordColumns = Readonly<Record<string, RecordColumn>>
export type RecordColumn = 'text' | 'integer' | 'boolean' | 'json' | 'timestamp' | 'float'
