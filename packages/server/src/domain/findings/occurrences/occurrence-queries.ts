import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { newestScan, shownSeverity, shownStateOn } from '../finding-sql.ts'
import type { Observation } from './occurrence.ts'

/** Inserts occurrences of findings that were never observed on the ref. */
export async function insertOccurrences(
  db: Db,
  observation: Omit<Observation, 'importId'> & { importId: number | null },
  findingIds: readonly number[],
): Promise<void> {
  const { projectId, ref, importId, now } = observation
  await db.run(sql`
    insert into occurrences (project_id, finding_id, ref, severity, state, is_present,
      first_import_id, last_import_id, first_seen_at, last_seen_at)
    select ${projectId}, f.id, ${ref}, ${shownSeverity}, ${shownStateOn(sql`${ref}`)}, true, ${importId}, ${importId},
      ${now}, ${now}
    from findings f where f.id in ${db.dialect.integers(findingIds)} order by f.id`)
  await insertCategory(db, observation, findingIds)
}

/** Marks findings as present on the ref again. A report without a category leaves the stored categories unchanged. */
export async function markPresentAgain(db: Db, observation: Observation, findingIds: readonly number[]): Promise<void> {
  const { ref, importId, categoryId, now } = observation
  await db.run(sql`
    update occurrences set is_present = true, last_import_id = ${importId}, last_seen_at = ${now}
    where ref = ${ref} and finding_id in ${db.dialect.integers(findingIds)}`)
  if (categoryId === undefined) return
  await db.run(sql`
    delete from occurrence_categories where occurrence_id ${db.dialect.among(occurrenceIds(db, ref, findingIds))}`)
  await insertCategory(db, observation, findingIds)
}

/** Adds present findings to the category of the report, which contained them for the first time. */
export async function addToCategory(db: Db, observation: Observation, findingIds: readonly number[]): Promise<void> {
  const { ref, importId, now } = observation
  await db.run(sql`
    update occurrences set last_import_id = ${importId}, last_seen_at = ${now}
    where ref = ${ref} and finding_id in ${db.dialect.integers(findingIds)}`)
  await insertCategory(db, observation, findingIds)
}

/** Removes findings from the category of the report; other categories still contain them. */
export async function removeFromCategory(
  db: Db,
  { ref, categoryId }: Observation,
  findingIds: readonly number[],
): Promise<void> {
  await db.run(sql`
    update occurrences as o set ${asLastObserved}
    from findings f where ${areThese(db, ref, findingIds)}`)
  await db.run(sql`
    delete from occurrence_categories
    where category_id = ${categoryId} and occurrence_id ${db.dialect.among(occurrenceIds(db, ref, findingIds))}`)
}

/** Inserts the category of the report, if it has one, for occurrences that do not have it. */
async function insertCategory(
  db: Db,
  { ref, categoryId }: Pick<Observation, 'ref' | 'categoryId'>,
  findingIds: readonly number[],
): Promise<void> {
  if (categoryId === undefined) return
  await db.run(sql`
    insert into occurrence_categories (occurrence_id, category_id)
    select o.id, ${categoryId} from (${occurrenceIds(db, ref, findingIds)}) as o`)
}

const occurrenceIds = ({ dialect }: Db, ref: string, findingIds: readonly number[]): Sql =>
  sql`select id from occurrences where ref = ${ref} and finding_id ${dialect.among(dialect.integers(findingIds))}`

/** Marks findings as absent from the ref. */
export async function markAbsent(
  db: Db,
  { ref }: Pick<Observation, 'ref'>,
  findingIds: readonly number[],
): Promise<void> {
  await db.run(sql`
    update occurrences as o set is_present = false, ${asLastObserved}
    from findings f where ${areThese(db, ref, findingIds)}`)
}

/** Assigns the last complete scan as the last observation. Must run before the scan of this import is inserted. */
const asLastObserved = sql`last_import_id = coalesce(${newestScan('import_id')}, o.last_import_id),
    last_seen_at = coalesce(${newestScan('observed_at')}, o.last_seen_at)`

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
  if (findingIds.length === 0) return
  await db.run(sql`
    update occurrences set severity = ${shownSeverity}, state = ${shownStateOn(sql`occurrences.ref`)} from findings f
    where f.id = occurrences.finding_id and f.id in ${db.dialect.integers(findingIds)}
      and (occurrences.severity <> ${shownSeverity} or occurrences.state <> ${shownStateOn(sql`occurrences.ref`)})`)
}

/** Returns the number of occurrences whose stored severity or state is not that of their finding. */
export async function countWrongOccurrences(db: Db, findingIds: readonly number[]): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from occurrences o join findings f on f.id = o.finding_id
    where f.id in ${db.dialect.integers(findingIds)} and (o.severity <> ${shownSeverity} or o.state <> ${shownStateOn(sql`o.ref`)})`)
  return row?.total ?? 0
}
