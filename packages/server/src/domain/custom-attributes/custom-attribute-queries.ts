import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { CustomAttribute, CustomAttributeOwner } from './custom-attribute.ts'
import { reference } from './custom-attribute-sql.ts'

export async function listCustomAttributes(
  db: Db,
  owner: CustomAttributeOwner,
  ids: readonly number[],
): Promise<(CustomAttribute & { ownerId: number })[]> {
  return db.all(sql`
    select key, value, ${reference(owner)} as owner_id from custom_attributes
    where ${reference(owner)} in ${db.dialect.integers(ids)} order by id`)
}

/** Inserts an attribute, or replaces its value. */
export async function upsertCustomAttribute(
  db: Db,
  owner: CustomAttributeOwner,
  id: number,
  { key, value, now }: CustomAttribute & { now: string },
): Promise<void> {
  await db.run(sql`
    insert into custom_attributes (${reference(owner)}, key, value, created_at, updated_at)
    values (${id}, ${key}, ${value}, ${now}, ${now})
    on conflict (${reference(owner)}, key) do update set value = excluded.value, updated_at = excluded.updated_at`)
}

/** Returns false when there is no such attribute. */
export async function deleteCustomAttribute(
  db: Db,
  owner: CustomAttributeOwner,
  id: number,
  key: string,
): Promise<boolean> {
  return (await db.run(sql`delete from custom_attributes where ${reference(owner)} = ${id} and key = ${key}`)) === 1
}
