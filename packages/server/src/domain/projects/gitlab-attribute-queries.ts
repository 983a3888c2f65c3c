import sql, { raw } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { AttributeOwner, GitlabAttributes } from './gitlab-attribute.ts'

interface AttributesRow {
  id: number
  gitlabAttributes: GitlabAttributes | null
}

export async function listAttributes(db: Db, owner: AttributeOwner, ids: readonly number[]): Promise<AttributesRow[]> {
  return db.all<AttributesRow>(sql`
    select id, gitlab_attributes from ${raw(owner)}
    where id in ${db.dialect.integers(ids)} and gitlab_attributes is not null order by id`)
}

/** Locks the row until the transaction ends. */
export async function lockAttributes(db: Db, owner: AttributeOwner, id: number): Promise<GitlabAttributes> {
  const row = await db.one<AttributesRow>(sql`
    select id, gitlab_attributes from ${raw(owner)} where id = ${id} ${db.dialect.forNoKeyUpdate}`)
  return row?.gitlabAttributes ?? {}
}

export async function updateAttributes(
  db: Db,
  owner: AttributeOwner,
  id: number,
  attributes: GitlabAttributes,
): Promise<void> {
  await db.run(sql`update ${raw(owner)} set gitlab_attributes = ${attributes} where id = ${id}`)
}
