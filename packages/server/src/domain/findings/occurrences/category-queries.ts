import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { groupBy } from '../../group-by.ts'
import type { Category, CategoryIds } from './categories.ts'

export async function findCategoryId(db: Db, projectId: number, name: string): Promise<number | undefined> {
  const row = await db.one<{ id: number }>(sql`
    select id from report_categories where project_id = ${projectId} and name = ${name}`)
  return row?.id
}

/** Inserts the category unless it exists, and returns its id. */
export async function upsertCategory(db: Db, projectId: number, name: string): Promise<number> {
  await db.run(sql`
    insert into report_categories (project_id, name) values (${projectId}, ${name})
    on conflict (project_id, name) do nothing`)
  const id = await findCategoryId(db, projectId, name)
  if (id === undefined) throw new Error('the category was not inserted')
  return id
}

/**
 * Returns a function that returns the categories of a finding that is present on one of the refs. A report without a
 * category does not need them, so nothing is loaded for it.
 */
export async function loadCategories(
  { all, dialect }: Db,
  category: Category | undefined,
  refs: readonly string[],
  findingIds: readonly number[],
): Promise<(findingId: number) => CategoryIds> {
  if (!category || findingIds.length === 0) return () => []
  const rows = await all<{ findingId: number; categoryId: number }>(sql`
    select distinct (select o.finding_id from occurrences o where o.id = c.occurrence_id) as finding_id, c.category_id
    from occurrence_categories c
    where c.occurrence_id ${dialect.among(sql`
      select id from occurrences
      where finding_id ${dialect.among(dialect.integers(findingIds))} and ref in ${dialect.texts(refs)} and is_present = true`)}
    order by finding_id, c.category_id`)
  const byFinding = groupBy(rows, (row) => row.findingId)
  return (findingId) => (byFinding.get(findingId) ?? []).map((row) => row.categoryId)
}
