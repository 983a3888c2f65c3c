import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { PageRequest } from '../../page.ts'
import type { ImportKey } from './import-key.ts'
import type {
  ImportedFilter,
  ImportedFinding,
  ImportedRecord,
  KnownFacts,
  NewImportedRecord,
  Origin,
} from './imported-record.ts'

const columns = {
  findingId: 'integer',
  source: 'text',
  sourceId: 'text',
  sourceName: 'text',
  sourceUrl: 'text',
  digest: 'text',
  isCreated: 'boolean',
  applied: 'json',
} as const

/** Inserts records, or replaces what an earlier import has recorded of the same finding. */
export async function upsertImportedRecords(
  db: Db,
  projectId: number,
  records: readonly NewImportedRecord[],
  now: string,
): Promise<void> {
  await db.run(sql`
    insert into imported_findings (project_id, finding_id, source, source_id, source_name, source_url, digest,
      is_created, applied, created_at, updated_at)
    select ${projectId}, r.finding_id, r.source, r.source_id, r.source_name, r.source_url, r.digest, r.is_created,
      r.applied, ${now}, ${now}
    from ${db.dialect.records(records, columns)} as r where true
    on conflict (project_id, source, source_id, finding_id) do update set source_name = excluded.source_name,
      source_url = excluded.source_url, digest = excluded.digest, applied = excluded.applied,
      updated_at = excluded.updated_at`)
}

/** Returns what earlier imports have recorded under these ids of a source. */
export async function listImportedRecords(
  db: Db,
  projectId: number,
  source: string,
  sourceIds: readonly string[],
): Promise<ImportedRecord[]> {
  return db.all(sql`
    select id, finding_id, source, source_id, source_name, source_url, digest, is_created, applied
    from imported_findings
    where project_id = ${projectId} and source = ${source}
      and source_id ${db.dialect.among(db.dialect.texts(sourceIds))}
    order by id`)
}

/** Returns where the finding of a vulnerability was imported from, oldest first. */
export async function listOriginsOf(db: Db, vulnerabilityId: number): Promise<Origin[]> {
  return db.all(sql`
    select source, source_name, source_id, source_url, is_created, created_at, updated_at from imported_findings
    where finding_id in (select id from findings where vulnerability_id = ${vulnerabilityId}) order by id`)
}

/** Returns one row more than the page holds, in the order of the index. */
export async function listImported(
  db: Db,
  projectId: number,
  filter: ImportedFilter,
  { perPage, offset }: PageRequest,
): Promise<ImportedFinding[]> {
  return db.all(sql`
    select i.source, i.source_name, i.source_id, i.source_url, i.is_created, i.created_at, i.updated_at,
      f.name as title, f.vulnerability_id
    from imported_findings i join findings f on f.id = i.finding_id
    where ${isListed(projectId, filter)}
    order by i.source, i.source_id, i.finding_id limit ${perPage + 1} offset ${offset}`)
}

export async function countImported(db: Db, projectId: number, filter: ImportedFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from imported_findings i where ${isListed(projectId, filter)}`)
  return row?.total ?? 0
}

function isListed(projectId: number, { source, sourceName }: ImportedFilter): Sql {
  return sql`i.project_id = ${projectId} ${source === undefined ? empty : sql`and i.source = ${source}`}
    ${sourceName === undefined ? empty : sql`and i.source_name = ${sourceName}`}`
}

export async function insertImportKeys(
  db: Db,
  projectId: number,
  keys: readonly (ImportKey & { findingId: number })[],
): Promise<void> {
  if (keys.length === 0) return
  await db.run(sql`
    insert into imported_finding_keys (finding_id, project_id, rank, key)
    select r.finding_id, ${projectId}, r.rank, r.key
    from ${db.dialect.records(keys, { findingId: 'integer', rank: 'integer', key: 'text' })} as r where true
    on conflict (finding_id, key) do nothing`)
}

/** Deletes the keys of findings that a report contains now, so that they match nothing else. */
export async function deleteImportKeys(db: Db, findingIds: readonly number[]): Promise<void> {
  await db.run(sql`delete from imported_finding_keys where finding_id in ${db.dialect.integers(findingIds)}`)
}

/** Returns true if the project has imported findings that no report has contained yet. */
export async function hasImportKeys(db: Db, projectId: number): Promise<boolean> {
  const row = await db.one<{ findingId: number }>(sql`
    select finding_id from imported_finding_keys where project_id = ${projectId} limit 1`)
  return row !== undefined
}

const facts = sql`f.id, f.uuid, f.vulnerability_id, f.name as title, f.report_type, f.package_name, f.location`
const isObserved = sql`exists (select 1 from occurrences o where o.finding_id = f.id)`

/** Returns the observed findings of the project that have one of these ids, which are in lower case. */
export async function listFactsByIds(
  db: Db,
  projectId: number,
  ids: readonly string[],
  limit: number,
): Promise<KnownFacts[]> {
  const { asciiLower, texts } = db.dialect
  return db.all(sql`
    select ${facts} from findings f
    where f.project_id = ${projectId} and ${isObserved} and f.id in (
      select fi.finding_id from finding_identifiers fi where fi.identifier_id in (
        select i.id from identifiers i
        where i.project_id = ${projectId} and ${asciiLower(sql`i.external_id`)} in ${texts(ids)}
        union
        select i.id from identifiers i
        where i.project_id = ${projectId} and ${asciiLower(sql`i.name`)} in ${texts(ids)}))
    order by f.id limit ${limit}`)
}

/** Returns the observed findings of the project in these files. */
export async function listFactsByFiles(
  db: Db,
  projectId: number,
  files: readonly string[],
  limit: number,
): Promise<KnownFacts[]> {
  const starts = files.map((file) => [...file].slice(0, maxIndexedPath).join(''))
  return db.all(sql`
    select ${facts} from findings f
    where f.project_id = ${projectId} and substr(f.location_path, 1, 500) in ${db.dialect.texts(starts)} and ${isObserved}
    order by f.id limit ${limit}`)
}

/** Number of characters of a location path that the index contains. */
const maxIndexedPath = 500

export async function listFactsByUuids(db: Db, projectId: number, uuids: readonly string[]): Promise<KnownFacts[]> {
  return db.all(sql`
    select ${facts} from findings f
    where f.project_id = ${projectId} and f.uuid in ${db.dialect.texts(uuids)} and ${isObserved} order by f.id`)
}

export async function listIdsOfFindings(
  db: Db,
  findingIds: readonly number[],
): Promise<{ findingId: number; name: string; externalId: string }[]> {
  return db.all(sql`
    select fi.finding_id, i.name, i.external_id from finding_identifiers fi join identifiers i on i.id = fi.identifier_id
    where fi.finding_id in ${db.dialect.integers(findingIds)} order by fi.finding_id, fi.position`)
}

/** Sets the times of findings as an export states them. */
export async function setFindingTimes(
  db: Db,
  times: readonly { id: number; detectedAt: string; createdAt: string; updatedAt: string }[],
): Promise<void> {
  const columns = { id: 'integer', detectedAt: 'timestamp', createdAt: 'timestamp', updatedAt: 'timestamp' } as const
  await db.run(sql`
    update findings set detected_at = r.detected_at, created_at = r.created_at, updated_at = r.updated_at,
      version = findings.version + 1
    from ${db.dialect.records(times, columns)} as r where findings.id = r.id`)
}

/** Returns those of the findings that were imported from a source. */
export async function listFindingsOfSource(
  db: Db,
  projectId: number,
  source: string,
  findingIds: readonly number[],
): Promise<number[]> {
  const rows = await db.all<{ findingId: number }>(sql`
    select distinct finding_id from imported_findings
    where finding_id in ${db.dialect.integers(findingIds)} and +project_id = ${projectId} and source = ${source}
    order by finding_id`)
  return rows.map(({ findingId }) => findingId)
}
