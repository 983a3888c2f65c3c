import sql, { raw, Sql } from 'sql-template-tag'
import type { Database, Db } from '../db/db.ts'

/** Returns the plan of a statement as the engine describes it, one step per line. */
export async function planOf(db: Db, query: Sql): Promise<string> {
  const explain = raw(db.dialect.engine === 'sqlite' ? 'explain query plan' : 'explain')
  // A statement with a fixed text cannot be a part of another one.
  const rows = await db.all<object>(sql`${explain} ${new Sql(query.strings, query.values)}`)
  return rows.map((row) => Object.values(row).join(' ')).join('\n')
}

export interface NamedTable {
  table: string
  alias: string
  /** The column whose values the statement lists: `id`, or a reference such as `finding_id`. */
  column: string
}

/** Returns the tables of which a statement names rows by ids; a column of another row is a join. */
export function tablesNamedById(text: string): NamedTable[] {
  const flat = text.replace(/--[^\n]*/g, ' ').replace(/\s+/g, ' ')
  const declared = [
    ...flat.matchAll(
      /\b(?:from|join|update) (\w+)(?: (?:as )?(?!where|set|join|on|cross|left|order|limit|indexed|union)(\w+))?/g,
    ),
  ]
  const conditions = flat.matchAll(
    /\b(?:where|and) (?:(\w+)\.)?(id|\w+_id) (?:= (?:\?|\$\d+)|in \(select (?:(?:value|\w+\.value|\*) from |unnest\()|= any)/g,
  )
  return [...conditions].flatMap(({ 1: qualifier, 2: column = '', 0: condition, index }) => {
    // A single reference, the project or its scanners may stand beside a condition that names fewer rows.
    if (column !== 'id' && (!/ in |any/.test(condition) || /^(?:project|scanner)_id$/.test(column))) return []
    const match = qualifier
      ? declared.find(([, table, alias]) => (alias ?? table) === qualifier)
      : declared.findLast((match) => match.index < index && depthAt(flat, match.index) === depthAt(flat, index))
    return match?.[1] ? [{ table: match[1], alias: match[2] ?? match[1], column }] : []
  })
}

/** How many parentheses are open: a column without a qualifier is not of a table in a subquery before it. */
const depthAt = (text: string, index: number): number =>
  text.slice(0, index).split('(').length - text.slice(0, index).split(')').length

/**
 * Returns true if a plan reads the rows that a statement names by ids through an index on them. An index of the project
 * would read all of its rows to find a few.
 */
export const isReadByIds = (db: Db, plan: string, table: NamedTable): boolean =>
  db.dialect.engine === 'sqlite' ? isFoundByIds(plan, table) : isFoundWithoutProject(plan, table)

const isFoundByIds = (plan: string, { alias, column }: NamedTable) =>
  new RegExp(
    `SEARCH ${alias} (?:EXISTS )?USING (?:INTEGER PRIMARY KEY|[^\\n]*\\b${column === 'id' ? '(?:id|rowid)' : column}=)`,
  ).test(plan)

/** PostgreSQL reads small tables whole; a search by the project alone is what must not happen. */
const isFoundWithoutProject = (plan: string, { table, alias }: NamedTable) =>
  !new RegExp(
    `on ${table}(?: ${alias})?\\b[^\\n]*\\n[^\\n]*Index Cond: \\(project_id = (?:'\\d+'::bigint|\\$\\d+)\\)\\n`,
  ).test(plan)

/**
 * Returns the columns whose condition `is null` SQLite uses to search an index. Its planner assumes at most one null in a
 * unique index, although most rows may be null.
 */
export function columnsSearchedByNull(db: Db, { text }: Sql, plan: string): string[] {
  if (db.dialect.engine !== 'sqlite') return []
  const columns = new Set([...text.matchAll(/\b(\w+) is null\b/g)].map(([, column = '']) => column))
  return [...columns].filter(
    (column) =>
      new RegExp(`SEARCH [^\\n]*\\(${column}=`).test(plan) && !new RegExp(`\\b${column} (?:=|in) `).test(text),
  )
}

const checkedTexts = new Set<string>()

/**
 * Throws if a statement does not find the rows that it names by their ids. Checks each text once per process, on PostgreSQL
 * once its tables have rows, with plans for a million rows.
 */
export async function assertReadByIds(db: Database, queries: Iterable<Sql>): Promise<void> {
  const unchecked = [...queries].filter(({ text }) => !checkedTexts.has(text) && tablesNamedById(text).length > 0)
  if (unchecked.length === 0) return
  const problems = await asIfLarge(db, async (db, hasRows) => {
    const problems: string[] = []
    for (const query of unchecked) {
      const tables = tablesNamedById(query.text)
      if (!tables.every(({ table }) => hasRows(table))) continue
      checkedTexts.add(query.text)
      const plan = await planOf(db, query)
      const others = tables.filter((table) => !isReadByIds(db, plan, table) || isScanned(plan, table))
      if (others.length > 0) problems.push(`${others.map(({ alias }) => alias).join()}: ${query.text}\n${plan}`)
    }
    return problems
  })
  if (problems.length > 0) throw new Error(`rows are not read by their ids: ${problems.join('\n\n')}`)
}

/** Runs `work` while PostgreSQL's planner assumes a million rows in every table that is not empty. */
async function asIfLarge(
  db: Database,
  work: (db: Db, hasRows: (table: string) => boolean) => Promise<string[]>,
): Promise<string[]> {
  if (db.dialect.engine === 'sqlite') return work(db, () => true) // its plans do not depend on numbers of rows
  let problems: string[] = []
  const undone = new Error('rolled back')
  try {
    await db.transaction(async (tx) => {
      const tables = await tx.all<{ name: string }>(sql`
        update pg_class set reltuples = 1000000, relpages = 1
        where relkind = 'r' and relnamespace = current_schema()::regnamespace and pg_relation_size(oid) > 0
        returning relname as name`)
      const names = new Set(tables.map(({ name }) => name))
      problems = await work(tx, (table) => names.has(table))
      throw undone
    })
  } catch (error) {
    if (error !== undone) throw error
  }
  return problems
}

const isScanned = (plan: string, { table, alias }: NamedTable) =>
  new RegExp(`Seq Scan on ${table} ${alias === table ? '' : `${alias} `}`).test(plan)
