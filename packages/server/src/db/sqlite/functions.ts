import { containsAll, similarity, unicodeLower } from '../sql.ts'
import type { SqliteConnection } from './connection.ts'

/** Adds the SQL functions that queries and indexes use. Every connection that reads a whole database needs them. */
export function addFunctions(database: SqliteConnection): void {
  database.addFunction('unicode_lower', (text) => (text === null ? null : unicodeLower(`${text}`)))
  database.addFunction('contains_all', (text, terms) =>
    text === null ? null : Number(containsAll(`${text}`, `${terms}`)),
  )
  database.addFunction('similarity', (a, b) => (a === null || b === null ? null : similarity(`${a}`, `${b}`)))
}
