import sql, { raw } from 'sql-template-tag'
import type { Db } from '../db.ts'

/**
 * Returns a script that gives an empty SQLite database the schema, the rows and the search indexes of this one, without the
 * list of its migrations. Indexes are created in the same order, because SQLite's choice between equal ones depends on it.
 */
export async function schemaScriptOf(db: Db): Promise<string> {
  const objects = await db.all<{ type: string; name: string; sql: string }>(sql`
    select type, name, sql from sqlite_master
    where sql is not null and name not like 'sqlite~_%' escape '~' and name <> 'schema_migrations'
      and name not in (select name from pragma_table_list where type = 'shadow')
    order by rowid`)
  const [triggers, others] = [objects.filter(isTrigger), objects.filter((object) => !isTrigger(object))]
  const tables = await db.all<{ name: string }>(sql`
    select name from pragma_table_list
    where schema = 'main' and type = 'table' and name not in ('schema_migrations', 'sqlite_schema', 'sqlite_sequence')
    order by name`)
  const rows: string[] = []
  for (const { name } of tables) rows.push(...(await insertsOf(db, name)))
  const indexes = await db.all<{ name: string }>(sql`
    select name from pragma_table_list where schema = 'main' and type = 'virtual' order by name`)
  const statements = [
    'pragma defer_foreign_keys = on',
    ...others.map((object) => object.sql),
    ...rows,
    ...indexes.map(({ name }) => `insert into "${name}" ("${name}") values ('rebuild')`),
    'delete from sqlite_sequence',
    ...(await insertsOf(db, 'sqlite_sequence')),
    ...triggers.map((object) => object.sql),
  ]
  return statements.map((statement) => `${statement};\n`).join('')
}

const isTrigger = ({ type }: { type: string }) => type === 'trigger'

async function insertsOf(db: Db, table: string): Promise<string[]> {
  const columns = await db.all<{ name: string }>(sql`select name from pragma_table_info(${table})`)
  const names = columns.map(({ name }) => `"${name}"`)
  const values = names.map((name) => `quote(${name})`).join(` || ', ' || `)
  const rows = await db.all<{ row: string }>(sql`select ${raw(values)} as row from ${raw(`"${table}"`)}`)
  return rows.map(({ row }) => `insert into "${table}" (${names.join(', ')}) values (${row})`)
}
