import sql, { raw, Sql } from 'sql-template-tag'
import type { Db } from '../db/db.ts'

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
    /\b(?:where|and) (?:(\w+)\.)?(id|\w+_id) (?:= (?:\?|\$\d+)|in \(+select (?:(?:value|\w+\.value|\*) from |unnest\()|= any)/g,
  )
  return [...conditions].flatMap(({ 1: qualifier, 2: column = '', 0: condition, index }) => {
    // A single reference, the project or its few scanners may stand beside a condition that names fewer rows.
    if (column !== 'id' && (!/ in |any/.test(condition) || /^(?:project|scanner|external)_id$/.test(column))) return []
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
  db.dialect.engine === 'sqlite' ? isFoundByIds(plan, table) : isFoundByIndex(plan, table)

const isFoundByIds = (plan: string, { alias, column }: NamedTable) =>
  new RegExp(
    `SEARCH ${alias} (?:EXISTS )?USING (?:INTEGER PRIMARY KEY|[^\\n]*\\b${column === 'id' ? '(?:id|rowid)' : column}=)`,
  ).test(plan)

/**
 * PostgreSQL has several ways to find few rows, such as by those of another table. It must not read all rows of a project.
 */
function isFoundByIndex(plan: string, { table, alias, column }: NamedTable): boolean {
  const findsFew = new RegExp(`\\b${column}\\b| = "?\\w+"?\\.\\w`)
  return scansOf(plan, table, alias).every((lines) => {
    const conditions = lines.filter((line) => line.includes('Index Cond: '))
    return conditions.every((line) => findsFew.test(line) || !/\(project_id = (?:'|\$)/.test(line))
  })
}

/** Returns true if PostgreSQL reads the whole table, as it does with small ones. */
export const isReadAsWhole = (plan: string, { table, alias }: NamedTable): boolean =>
  scansOf(plan, table, alias).some(([line]) => line?.includes('Seq Scan'))

/** Returns the lines of each step of PostgreSQL's plan that reads the table, with those of its bitmap. */
function scansOf(plan: string, table: string, alias: string): string[][] {
  const lines = plan.split('\n')
  const isScan = new RegExp(
    `Scan\\b.* on ${table} ${alias === table ? `(?:${table}_\\d+ )?` : `${alias}(?:_\\d+)? `} ?\\(`,
  )
  const indent = (line: string) => line.search(/[^ ]/)
  return lines.flatMap((line, start) => {
    if (!isScan.test(line)) return []
    const end = lines.findIndex((other, index) => index > start && indent(other) <= indent(line))
    return [lines.slice(start, end < 0 ? undefined : end)]
  })
}

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
