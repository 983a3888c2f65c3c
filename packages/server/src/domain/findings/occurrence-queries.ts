import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { categoriesOf } from './categories.ts'
import { newestScan, shownSeverity, shownState } from './finding-sql.ts'
import type { Observation } from './occurrence.ts'

/** Inserts occurrences of findings that were never observed on the ref. */
export async function insertOccurrences(
  db: Db,
  { projectId, ref, importId, categoryId, now }: Observation,
  findingIds: readonly number[],
): Promise<void> {
  await db.run(sql`
    insert into occurrences (project_id, finding_id, ref, severity, state, is_present, categories,
      first_import_id, last_import_id, first_seen_at, last_seen_at)
    select ${projectId}, f.id, ${ref}, ${shownSeverity}, ${shownState}, true, ${categoriesOf(categoryId)}, ${importId}, ${importId},
      ${now}, ${now}
    from findings f where f.id in ${db.dialect.integers(findingIds)} order by f.id`)
}

/** Marks findings as present on the ref again. A report without a category leaves the stored categories unchanged. */
export async function markPresentAgain(
  db: Db,
  { ref, importId, categoryId, now }: Observation,
  findingIds: readonly number[],
): Promise<void> {
  const ofCategory = categoryId === undefined ? empty : sql`categories = ${categoriesOf(categoryId)},`
  await db.run(sql`
    update occurrences set is_present = true, ${ofCategory}
      last_import_id = ${importId}, last_seen_at = ${now}
    where ref = ${ref} and finding_id in ${db.dialect.integers(findingIds)}`)
}

/** Adds present findings to the category of the report, which contained them for the first time. */
export async function addToCategory(
  db: Db,
  { ref, importId, categoryId, now }: Observation,
  findingIds: readonly number[],
): Promise<void> {
  await db.run(sql`
    update occurrences set last_import_id = ${importId}, last_seen_at = ${now},
      categories = case when categories = '' then ${categoriesOf(categoryId)} else categories || ${`${categoryId},`} end
    where ref = ${ref} and finding_id in ${db.dialect.integers(findingIds)}`)
}

/** Removes findings from the category of the report; other categories still contain them. */
export async function removeFromCategory(
  db: Db,
  { ref, categoryId }: Observation,
  findingIds: readonly number[],
): Promise<void> {
  await db.run(sql`
    update occurrences as o set categories = replace(o.categories, ${categoriesOf(categoryId)}, ','), ${asLastObserved(db)}
    from findings f where ${areThese(db, ref, findingIds)}`)
}

/** Marks findings as absent from the ref. */
export async function markAbsent(db: Db, { ref }: Observation, findingIds: readonly number[]): Promise<void> {
  await db.run(sql`
    update occurrences as o set is_present = false, ${asLastObserved(db)}
    from findings f where ${areThese(db, ref, findingIds)}`)
}

/** Assigns the last complete scan as the last observation. Must run before the scan of this import is inserted. */
const asLastObserved = (db: Db): Sql =>
  sql`last_import_id = coalesce(${newestScan(db, 'import_id')}, o.last_import_id),
    last_seen_at = coalesce(${newestScan(db, 'observed_at')}, o.last_seen_at)`

const areThese = (db: Db, ref: string, findingIds: readonly number[]): Sql =>
  sql`f.id = o.finding_id and o.ref = ${ref} and o.finding_id ${db.dialect.among(db.dialect.integers(findingIds))}`

/** Records the observation by an incomplete scan. After a complete scan, the row in `scans` is enough. */
export async function markObserved(
  db: Db,
  { ref, importId, now }: Observation,
  findingIds: readonly number[],
): Promise<void> {
  await db.run(sql`
    update occurrences set last_import_id = ${importId}, last_seen_at = ${now}
    where ref = ${ref} and is_present = true
      and finding_id ${db.dialect.among(db.dialect.integers(findingIds))}`)
}

/** Updates severity and state, by which lists are sorted, in the occurrences of these findings. */
export async function refreshOccurrences(db: Db, findingIds: readonly number[]): Promise<void> {
  if (findingIds.length > 0) await refreshWhere(db, sql`f.id in ${db.dialect.integers(findingIds)}`)
}

/** Updates severity and state in the occurrences of the findings of these vulnerabilities. */
export async function refreshOccurrencesOf(db: Db, vulnerabilityIds: readonly number[]): Promise<void> {
  if (vulnerabilityIds.length > 0) {
    await refreshWhere(db, sql`f.vulnerability_id in ${db.dialect.integers(vulnerabilityIds)}`)
  }
}

async function refreshWhere(db: Db, which: Sql): Promise<void> {
  await db.run(sql`
    update occurrences set severity = ${shownSeverity}, state = ${shownState} from findings f
    where f.id = occurrences.finding_id and ${which}
      and (occurrences.severity <> ${shownSeverity} or occurrences.state <> ${shownState})`)
}

/** Returns the number of occurrences whose stored severity or state is not that of their finding. */
export async function countWrongOccurrences(db: Db, findingIds: readonly number[]): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from occurrences o join findings f on f.id = o.finding_id
    where f.id in ${db.dialect.integers(findingIds)} and (o.severity <> ${shownSeverity} or o.state <> ${shownState})`)
  return row?.total ?? 0
}
