import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

/** How far a destination has come. */
export interface StreamCursor {
  destination: string
  /** Position of the last event that it has accepted. */
  position: number
  /** Number of consecutive failed attempts. */
  failures: number
}

/** Inserts the cursor of a destination unless it exists. */
export async function insertCursor(db: Db, destination: string, position: number): Promise<void> {
  await db.run(sql`
    insert into audit_streams (destination, position) values (${destination}, ${position})
    on conflict (destination) do nothing`)
}

export async function listCursors(db: Db, destinations: readonly string[]): Promise<StreamCursor[]> {
  return db.all(sql`
    select destination, position, failures from audit_streams
    where destination in ${db.dialect.texts(destinations)} order by destination`)
}

/** Moves a cursor and ends its failures. Returns false when another process has moved it. */
export async function moveCursor(db: Db, { destination, position }: StreamCursor, to: number): Promise<boolean> {
  const changed = await db.run(sql`
    update audit_streams set position = ${to}, failures = 0, last_error = null
    where destination = ${destination} and position = ${position}`)
  return changed === 1
}

export async function addStreamFailure(db: Db, destination: string, error: string): Promise<void> {
  await db.run(sql`
    update audit_streams set failures = failures + 1, last_error = ${error} where destination = ${destination}`)
}
