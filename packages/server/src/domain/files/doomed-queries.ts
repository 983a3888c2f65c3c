import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

export async function insertDoomed(db: Db, keys: readonly string[], now: string): Promise<void> {
  const rows = keys.map((key) => ({ key }))
  await db.run(sql`
    insert into doomed_objects (object_key, doomed_at)
    select r.key, ${now} from ${db.dialect.records(rows, { key: 'text' })} as r where true
    on conflict (object_key) do nothing`)
}

export async function oldestDoomed(db: Db, after: number, limit: number): Promise<{ id: number; key: string }[]> {
  const rows = await db.all<{ id: number; object_key: string }>(sql`
    select id, object_key from doomed_objects where id > ${after} order by id limit ${limit}`)
  return rows.map((row) => ({ id: row.id, key: row.object_key }))
}

export async function forgetDoomed(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await db.run(sql`delete from doomed_objects where id in ${db.dialect.integers(ids)}`)
}
