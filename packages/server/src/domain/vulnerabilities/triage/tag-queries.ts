import sql, { empty } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { PageRequest } from '../../page.ts'
import type { Vulnerability } from '../vulnerability.ts'
import { tagKey, without } from './tags.ts'

/**
 * Adds the tags to those of the project, and returns their names as the project spells them. A tag that no vulnerability
 * has takes the new spelling.
 */
export async function upsertTags(db: Db, projectId: number, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const rows = names.map((name) => ({ name, key: tagKey(name) })).sort((a, b) => (a.key < b.key ? -1 : 1))
  await db.run(sql`
    insert into vulnerability_tags (project_id, name, name_key)
    select ${projectId}, r.name, r.key from ${db.dialect.records(rows, { name: 'text', key: 'text' })} as r where true
    on conflict (project_id, name_key) do update set name = excluded.name
    where vulnerability_tags.name <> excluded.name
      and not exists (select 1 from tagged_findings t where t.tag_id = vulnerability_tags.id)`)
  const stored = await db.all<{ name: string }>(sql`
    select name from vulnerability_tags
    where project_id = ${projectId} and name_key in ${db.dialect.texts(rows.map(({ key }) => key))} order by name_key`)
  return stored.map(({ name }) => name)
}

interface Tagged {
  before: Pick<Vulnerability, 'tags'>
  after: Pick<Vulnerability, 'id' | 'tags'>
}

/** Stores which findings have the tags that changed. The caller must have locked the vulnerabilities. */
export async function saveTags(db: Db, projectId: number, changes: readonly Tagged[]): Promise<void> {
  const changed = changes.filter(({ before, after }) => before.tags !== after.tags)
  const pairs = (of: (change: Tagged) => string[]) =>
    changed.flatMap((change) => of(change).map((tag) => ({ vulnerabilityId: change.after.id, key: tagKey(tag) })))
  const added = pairs(({ before, after }) => without(after.tags, before.tags))
  const removed = pairs(({ before, after }) => without(before.tags, after.tags))
  const rowsOf = (rows: typeof added) => sql`
    select t.id as tag_id, f.id as finding_id
    from ${db.dialect.records(rows, { vulnerabilityId: 'integer', key: 'text' })} as r
    join findings f on f.vulnerability_id = r.vulnerability_id
    join vulnerability_tags t on t.project_id = ${projectId} and t.name_key = r.key`
  if (added.length > 0) {
    await db.run(sql`
      insert into tagged_findings (tag_id, finding_id) ${rowsOf(added)} where true on conflict do nothing`)
  }
  if (removed.length > 0) {
    await db.run(sql`delete from tagged_findings where (tag_id, finding_id) in (${rowsOf(removed)})`)
  }
}

/** Returns the tags that vulnerabilities of the projects have, one row more than the page holds. */
export async function listTagNames(
  db: Db,
  projectIds: readonly number[],
  { search, page: { perPage, offset } }: { search?: string | undefined; page: PageRequest },
): Promise<string[]> {
  const matches = search ? sql`and ${db.dialect.contains(sql`t.name_key`, tagKey(search))}` : empty
  const rows = await db.all<{ name: string }>(sql`
    select min(t.name) as name from vulnerability_tags t
    where t.project_id in ${db.dialect.integers(projectIds)} ${matches}
      and exists (select 1 from tagged_findings f where f.tag_id = t.id)
    group by t.name_key order by t.name_key limit ${perPage + 1} offset ${offset}`)
  return rows.map(({ name }) => name)
}
