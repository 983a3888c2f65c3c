import type { Sql } from 'sql-template-tag'

/**
 * Interface for running SQL on the database or in one transaction. Rows are plain objects with camelCase keys: the
 * column `created_at` becomes `createdAt`. Columns named `owner.id` and `owner.name` become a nested object, or null when
 * the first of them is null. Booleans are booleans, timestamps are ISO 8601 strings with milliseconds, `json` columns are
 * parsed values, integers are numbers.
 * SQLite converts by the declared type of a column, which is also known in subqueries, CTEs and `returning`. Computed
 * columns (`a = b`, `coalesce(…)`, `max(…)`) have no declared type: their booleans are 0 and 1, and their JSON is text.
 * Bound objects and arrays become JSON text (use `JSON.stringify` for a JSON string), and `undefined` becomes null; a
 * `Date` is rejected. PostgreSQL infers the type of a parameter from its context; where there is none, as in `select
 * ${n}`, write `cast(${n} as bigint)`.
 */
export interface Db {
  readonly dialect: Dialect
  /** Returns all rows, in the order of the query. */
  all<Row extends CamelCase<Row>>(query: Sql): Promise<Row[]>
  /** Returns the first row or `undefined`. An `insert … returning` still changes all of its rows. */
  one<Row extends CamelCase<Row>>(query: Sql): Promise<Row | undefined>
  /** Returns the number of rows changed, or for a statement that returns rows, their number. */
  run(query: Sql): Promise<number>
  /**
   * Resolves when all earlier commits would survive a power failure. A commit resolves for its own caller only then.
   * Other callers may see it earlier, and must await this before any irreversible action that depends on it. Resolves
   * immediately inside a transaction.
   */
  whenDurable(): Promise<void>
}

/** Rejects types of rows that have keys in snake_case, such as the names of columns. */
export type CamelCase<Row> = { [Key in keyof Row]: Key extends `${string}_${string}` ? never : Row[Key] }

export interface Database extends Db {
  /**
   * Runs `work` in one transaction: commits when it resolves, rolls back when it throws. Writers queue. On PostgreSQL,
   * `work` is repeated after a serialization failure or deadlock, so it must not have effects outside the database. A
   * failed statement makes the whole transaction fail, even if its error is caught: use `on conflict` instead. `work`
   * must not write through the outer database: on SQLite that waits for `work` to end and fails after a minute.
   */
  transaction<T>(work: (db: Db) => Promise<T>, options?: TransactionOptions): Promise<T>
  /**
   * Returns true if no other transaction is waiting, so the caller may keep its transaction open for more work. Always
   * false on PostgreSQL, where transactions wait for locks instead, and longer ones cause more deadlocks.
   */
  canExtendTransaction(): boolean
  readonly changes: Changes
  /** Rejects when the database is unavailable. */
  ready(): Promise<void>
  /**
   * Resolves when the disk failed in a way that only a restart can recover from. From then on every write is rejected
   * as `unavailable`, and the process should end soon. Stays pending otherwise, and always on PostgreSQL.
   */
  readonly broken: Promise<Error>
  /**
   * Runs work that reads much of the database. On SQLite, reads do not use the memory map of the file until the work ends,
   * because mapped pages count as memory of the process. Reads then take up to a fifth longer. No effect on PostgreSQL.
   */
  withoutMemoryMap<T>(work: () => Promise<T>): Promise<T>
  /**
   * True if the server may start before `check` ends: the database is large, and unchanged since a process without known
   * damage closed it. False on PostgreSQL, where `check` does nothing.
   */
  readonly canDeferCheck: boolean
  /**
   * Checks the whole database and returns the damage found. If there is any, `broken` resolves. Returns an empty list on
   * PostgreSQL, which verifies pages as it reads. Stays pending if the database is closed before the check ends.
   */
  check(options?: CheckOptions): Promise<readonly string[]>
  close(): Promise<void>
}

export interface CheckOptions {
  /** Also compares each index with its table, which takes several times as long and blocks this process. */
  isThorough?: boolean
  /** Runs the check with a lower scheduling priority than other processes. */
  isLowPriority?: boolean
}

export interface TransactionOptions {
  /**
   * Relaxed durability: the commit does not wait for the disk. A power failure may undo it as a whole, together with
   * similar commits; a crash of the process does not. For work that would be repeated.
   */
  isRelaxed?: boolean
  /**
   * On SQLite, the transaction may be committed together with others that arrived while the disk was busy, which writes
   * fewer pages. For short transactions only, because each waits for all of its batch.
   */
  isBatched?: boolean
  /** Declares that writes to these tables change rows of one project only, so that caches of others stay valid. */
  project?: ProjectWrites
}

export interface ProjectWrites {
  id: number
  tables: readonly string[]
}

/**
 * Counts commits per table, so that caches can validate their entries: an entry stays valid while the version of its
 * tables is unchanged. Changes through foreign keys (`on delete cascade`) count for the tables that they affect.
 */
export interface Changes {
  /**
   * Returns the combined version of these tables, or `undefined` while commits of other processes may be missed because
   * the connection is lost. Caches must not be read or written then. With a project, ignores transactions that declared
   * to change rows of another one: for values that depend on rows of this project only.
   */
  version(tables: readonly string[], projectId?: number): number | undefined
  /**
   * Resolves when every commit of another process that ended before this call is counted; `undefined` on an engine with
   * one process. Requests await it before they use a cache, so that they see what other processes have acknowledged.
   */
  synchronize(): Promise<void> | undefined
  /** Calls `callback` after every commit that changed the table, in any process. Returns a function that stops it. */
  watch(table: string, callback: () => void): () => void
}

/** SQL fragments that differ between the two engines. */
export interface Dialect {
  readonly engine: 'sqlite' | 'postgres'
  /** One-column subquery of any number of integers, for `where id in ${db.dialect.integers(ids)}`. */
  integers(values: readonly number[]): Sql
  /** One-column subquery of texts; its column is named `value`. */
  texts(values: readonly string[]): Sql
  /**
   * Table made from records, for bulk inserts: `select … from ${db.dialect.records(rows, { name: 'text' })} as r`. The
   * key `createdAt` becomes the column `created_at`. Values are bound as one JSON parameter; a missing field is null.
   * SQLite requires `where true` before `on conflict`, because it would otherwise parse `on` as part of a join.
   */
  records(rows: readonly object[], columns: RecordColumns): Sql
  /**
   * Like `records`, for wide rows: many columns, a few kilobytes. Every value is bound, because it takes longer to read such
   * rows from JSON: on SQLite three times as long. Accepts at most `maxBoundRows` rows. The first column must not be null.
   */
  boundRows(rows: readonly ColumnValues[], columns: RecordColumns): Sql
  /** Locks the selected rows until the transaction ends, on an engine with row locks; otherwise empty. */
  readonly forUpdate: Sql
  /** Like `forUpdate`, but allows concurrent inserts of rows that refer to these. */
  readonly forNoKeyUpdate: Sql
  /** The same for the rows of one table of a join. */
  forNoKeyUpdateOf(alias: string): Sql
  /** Protects the selected rows from deletion until the transaction ends, but allows updates. */
  readonly forKeyShare: Sql
  /** Returns pg_trgm's `similarity(a, b)`, rounded to two decimals. */
  similarity(column: Sql, text: string): Sql
  /**
   * Condition that one of the columns contains all terms, ignoring case. Terms have at least three characters. It uses
   * a trigram index (on SQLite the FTS5 table `<table>_search`).
   */
  containsTerms(table: string, columns: readonly string[], terms: readonly string[], range?: IdRange): Sql
  /**
   * Maximum number of rows that one search statement should cover on an engine whose statements block the process; a
   * search then runs per id range. Infinite on other engines.
   */
  readonly searchedAtOnce: number
  /**
   * Index hint after a table's name. Without it SQLite would look up rows by id and read wide rows, although the index
   * contains all needed columns.
   */
  indexedBy(index: string): Sql
  /**
   * `in (…)` for a subquery of ids within an `or`, or of values beside conditions on other columns of the same index, which
   * PostgreSQL would search by the other conditions alone.
   */
  among(ids: Sql): Sql
  /** Branch of a `union all` with an order and limit of its own, because only its first rows are needed. */
  partOfUnion(select: Sql, orderAndLimit: Sql): Sql
  /** Aggregate of child rows as JSON: a list of lists of values in this order, `[]` without rows. */
  jsonRows(values: Sql, order: Sql): Sql
  /** Condition that the column is similar to the text, using the same index. Filter the matches by `similarity`. */
  resembles(table: string, column: string, text: string): Sql
  /** Condition that the column contains the text, ignoring case and without wildcards. */
  contains(column: Sql, text: string): Sql
  /** Converts A to Z to lower case, independently of the locale. */
  asciiLower(text: Sql): Sql
  /** Date in UTC, as `YYYY-MM-DD`. */
  day(time: Sql): Sql
  /** Whole seconds since 1970. */
  seconds(time: Sql): Sql
}

/** Range of ids: `above` exclusive, `upTo` inclusive. */
export interface IdRange {
  above: number
  upTo: number
}

/** Values of a row in the order of its columns, JSON as text; see `columnValues`. Other threads can receive it. */
export type ColumnValues = readonly (string | number | boolean | null)[]
export type RecordColumns = Readonly<Record<string, RecordColumn>>
export type RecordColumn = 'text' | 'integer' | 'boolean' | 'json' | 'timestamp' | 'float'
