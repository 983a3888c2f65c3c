import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { Alias } from './advisory.ts'

/** Returns the aliases of names that reports stated. */
export function listStatedAliases(db: Db, names: readonly string[]): Promise<Alias[]> {
  return db.all(sql`
    select name, alias from flaw_aliases where name in ${db.dialect.texts(names)} order by name, alias`)
}

/** Inserts aliases in both directions, and returns the number of those that were unknown. */
export function insertAliases(db: Db, aliases: readonly Alias[]): Promise<number> {
  const both = [...aliases, ...aliases.map(({ name, alias }) => ({ name: alias, alias: name }))]
  return db.run(sql`
    insert into flaw_aliases (name, alias)
    select r.name, r.alias from ${db.dialect.records(both, { name: 'text', alias: 'text' })} as r
    where true order by r.name, r.alias on conflict (name, alias) do nothing`)
}

/** Returns names with aliases that were not applied yet. */
export async function listNewNames(db: Db, limit: number): Promise<string[]> {
  const rows = await db.all<{ name: string }>(sql`
    select distinct name from flaw_aliases where is_applied = false order by name limit ${limit}`)
  return rows.map(({ name }) => name)
}

export async function markApplied(db: Db, names: readonly string[]): Promise<void> {
  await db.run(sql`
    update flaw_aliases set is_applied = true where is_applied = false and name in ${db.dialect.texts(names)}`)
}
