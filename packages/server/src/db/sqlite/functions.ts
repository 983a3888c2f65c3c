import type Sqlite from 'better-sqlite3'
import { similarity, unicodeLower } from '../sql.ts'

/** Adds the SQL functions that queries and indexes use. Every connection that reads a whole database needs them. */
export function addFunctions(database: Sqlite.Database): void {
  database.function('unicode_lower', { deterministic: true }, (text) =>
    text === null ? null : unicodeLower(`${text}`),
  )
  database.function('similarity', { deterministic: true }, (a, b) =>
    a === null || b === null ? null : similarity(`${a}`, `${b}`),
  )
}
