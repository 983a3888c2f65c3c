import sql, { raw } from 'sql-template-tag'
import type { Database } from '../../packages/server/src/db/db.ts'
import { inLargeTransaction } from './batches.ts'

/**
 * Drops the secondary indexes of the tables while `work` inserts many rows, and creates them again afterwards, because
 * sorting all entries of an index takes a fraction of the time of inserting them one by one.
 */
export async function withoutIndexes(
  db: Database,
  tables: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const indexes = await secondaryIndexesOf(db, tables)
  for (const { name } of indexes) await db.run(sql`drop index ${raw(name)}`)
  await work()
  for (const [number, { name, definition }] of indexes.entries()) {
    console.error(`creating indexes: ${number + 1} of ${indexes.length}, ${name}`)
    await inLargeTransaction(db, async (db) => {
      await db.run(sql`${raw(definition)}`)
    })
  }
}

interface Index {
  name: string
  definition: string
}

/** Returns the indexes that are not part of a primary key or another constraint. */
function secondaryIndexesOf(db: Database, tables: readonly string[]): Promise<Index[]> {
  const listed = db.dialect.records(
    tables.map((name) => ({ name })),
    { name: 'text' },
  )
  return db.all<Index>(
    db.dialect.engine === 'sqlite'
      ? sql`
          select name, sql as definition from sqlite_master
          where type = 'index' and sql is not null and tbl_name in (select t.name from ${listed} as t)
          order by name`
      : sql`
          select cast(i.indexrelid as regclass)::text as name, pg_get_indexdef(i.indexrelid) as definition
          from pg_index i join pg_class c on c.oid = i.indrelid
          where c.relnamespace = current_schema()::regnamespace and c.relname in (select t.name from ${listed} as t)
            and not exists (select 1 from pg_constraint where conindid = i.indexrelid)
          order by 1`,
  )
}
