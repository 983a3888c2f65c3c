import sql from 'sql-template-tag'
import type { Database } from '../db/db.ts'

/** Returns the names of all tables except search indexes. */
export async function tablesOf({ dialect, all }: Database): Promise<Set<string>> {
  const rows = await all<{ name: string }>(
    dialect.engine === 'sqlite'
      ? sql`select name from sqlite_master where type = 'table'`
      : sql`select table_name as name from information_schema.tables where table_schema = 'public'`,
  )
  return new Set(rows.map(({ name }) => name).filter((name) => !/_search(_|$)/.test(name)))
}

/** Search indexes that triggers write. Changes of triggers are not counted, but those of the indexed table are. */
const indexed = (name: string) => name.replace(/_search$/, '').replace(/^finding_texts$/, 'findings')

/** Returns the known tables after `from` and `join` in a statement. */
export function tablesIn(text: string, known: ReadonlySet<string>): Set<string> {
  const code = text.replace(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'/g, ' ')
  const names = [...code.matchAll(/\b(?:from|join)\s+"?(\w+)"?/gi)].map(([, name = '']) => indexed(name))
  return new Set(names.filter((name) => known.has(name)))
}
