import sql, { join, raw, type Sql } from 'sql-template-tag'
import { maxBoundRows } from '../../db/column-values.ts'
import type { Db } from '../../db/db.ts'
import { batchesOf } from '../batches.ts'
import { contentColumns, type FindingContent } from './finding-content.ts'
import { refreshOccurrences } from './occurrences/occurrence-queries.ts'

/**
 * Inserts up to `maxBoundRows` findings and returns their ids by uuid. They stay invisible until they have an occurrence.
 */
export async function insertFindings(
  db: Db,
  { projectId, importId, now }: { projectId: number; importId: number | null; now: string },
  contents: readonly FindingContent[],
): Promise<Map<string, number>> {
  const rows = contents.map(({ row }) => row)
  const inserted = await db.all<{ id: number; uuid: string }>(sql`
    insert into findings (project_id, import_id, uuid, report_type, scanner_id, primary_identifier_id, name,
      description, solution, severity, confidence, cve, location, location_fingerprint, details, extras, digest,
      metadata_version, raw_metadata, package_url, package_key, package_name, detected_at, created_at, updated_at)
    select ${projectId}, ${importId}, r.uuid, r.report_type, r.scanner_id, r.primary_identifier_id, r.name,
      r.description, r.solution, r.severity, r.confidence, r.cve, r.location, r.location_fingerprint, r.details,
      r.extras, r.digest, r.metadata_version, r.raw_metadata, r.package_url, r.package_key, r.package_name,
      ${now}, ${now}, ${now}
    from ${withReferences(projectId, db.dialect.boundRows(rows, contentColumns))} as r
    returning id, uuid`)
  return new Map(inserted.map(({ id, uuid }) => [uuid, id]))
}

/** Adds scanner and identifier ids to rows of contents; `idsOfKeys` explains why each id is looked up alone. */
const withReferences = (projectId: number, rows: Sql): Sql => sql`(
  select t.*,
    (select s.id from scanners s where s.project_id = ${projectId} and s.external_id = t.scanner) as scanner_id,
    (select i.id from identifiers i where i.project_id = ${projectId} and i.fingerprint = t.primary_identifier)
      as primary_identifier_id
  from ${rows} as t)`

/** Assigns the columns that the newest report overwrites. */
const contentOf = (source: string): Sql =>
  join(overwrittenColumns.map((column) => raw(`${column} = ${source}.${column}`)))

const overwrittenColumns = [
  ...['scanner_id', 'primary_identifier_id', 'name', 'description', 'solution', 'severity', 'confidence', 'cve'],
  ...['location', 'location_fingerprint', 'details', 'extras', 'digest', 'metadata_version', 'raw_metadata'],
  ...['package_url', 'package_key', 'package_name'],
]

/**
 * Overwrites findings with the content of the newest report, except uuid and triage decisions. Refreshes occurrences,
 * because they are sorted by severity.
 */
export async function updateFindings(
  db: Db,
  projectId: number,
  contents: readonly { findingId: number; content: FindingContent }[],
  now: string,
): Promise<void> {
  for (const batch of batchesOf(contents, maxBoundRows)) {
    const rows = batch.map(({ findingId, content: { row } }) => [...row, findingId])
    const listed = db.dialect.boundRows(rows, { ...contentColumns, findingId: 'integer' })
    const updated = await db.run(sql`
      update findings set ${contentOf('r')},
        updated_at = ${now}, version = findings.version + 1
      from ${withReferences(projectId, listed)} as r where findings.id = r.finding_id`)
    if (updated < batch.length) throw new Error('what a staged finding names is gone')
  }
  await refreshOccurrences(
    db,
    contents.map(({ findingId }) => findingId),
  )
}

/** Inserts the child rows that depend on the content of a finding: identifiers and matching keys. */
export async function insertChildRows(
  db: Db,
  projectId: number,
  contents: readonly { findingId: number; content: FindingContent }[],
): Promise<void> {
  const identifiers = contents.flatMap(({ findingId, content }) =>
    content.identifierIds.map((identifierId, position) => ({
      findingId,
      position,
      identifierId,
    })),
  )
  if (identifiers.length > 0) {
    const columns = { findingId: 'integer', position: 'integer', identifierId: 'integer' } as const
    await db.run(sql`
      insert into finding_identifiers (finding_id, position, identifier_id)
      select r.finding_id, r.position, r.identifier_id from ${db.dialect.records(identifiers, columns)} as r`)
  }
  const keys = contents.flatMap(({ findingId, content }) => content.keys.map((key) => ({ findingId, ...key })))
  if (keys.length === 0) return
  const columns = { findingId: 'integer', rank: 'integer', key: 'text' } as const
  await db.run(sql`
    insert into finding_keys (finding_id, rank, project_id, key)
    select r.finding_id, r.rank, ${projectId}, r.key from ${db.dialect.records(keys, columns)} as r`)
}

export async function deleteChildRows(db: Db, findingIds: readonly number[]): Promise<void> {
  const ids = db.dialect.integers(findingIds)
  await db.run(sql`delete from finding_identifiers where finding_id in ${ids}`)
  await db.run(sql`delete from finding_keys where finding_id in ${ids}`)
}

/** Returns up to `limit` findings of an import that have no occurrence and no vulnerability. */
export async function listUnobserved(db: Db, importId: number, limit: number): Promise<number[]> {
  // `+` keeps SQLite from using the unique index on `vulnerability_id`, which would read the unpromoted findings of all
  // projects.
  const rows = await db.all<{ id: number }>(sql`
    select f.id from findings f where f.import_id = ${importId} and +f.vulnerability_id is null
      and not exists (select 1 from occurrences o where o.finding_id = f.id)
    order by f.id limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** Moves the content and child rows of each shadow finding to its known finding. The caller deletes the shadow. */
export async function mergeFindings(
  db: Db,
  pairs: readonly { shadowId: number; findingId: number }[],
  now: string,
): Promise<void> {
  if (pairs.length === 0) return
  const listed = db.dialect.records(pairs, { shadowId: 'integer', findingId: 'integer' })
  const known = pairs.map(({ findingId }) => findingId)
  await db.run(sql`
    update findings set ${contentOf('s')},
      updated_at = ${now}, version = findings.version + 1
    from ${listed} as r join findings s on s.id = r.shadow_id where findings.id = r.finding_id`)
  await refreshOccurrences(db, known)
  await deleteChildRows(db, known)
  await db.run(sql`
    update finding_identifiers set finding_id = r.finding_id from ${listed} as r
    where finding_identifiers.finding_id = r.shadow_id`)
  await db.run(sql`
    update finding_keys set finding_id = r.finding_id from ${listed} as r where finding_keys.finding_id = r.shadow_id`)
}

export async function deleteFindings(db: Db, ids: readonly number[]): Promise<void> {
  await db.run(sql`delete from findings where id in ${db.dialect.integers(ids)}`)
}

/** Changes the uuid of findings; their history stays. */
export async function renameFindings(
  db: Db,
  renamed: readonly { findingId: number; uuid: string }[],
  now: string,
): Promise<void> {
  await db.run(sql`
    update findings set uuid = r.uuid, updated_at = ${now}, version = findings.version + 1
    from ${db.dialect.records(renamed, { findingId: 'integer', uuid: 'text' })} as r where findings.id = r.finding_id`)
}

/** Returns false if another request attached the finding first. */
export async function attachFinding(db: Db, findingId: number, vulnerabilityId: number, now: string): Promise<boolean> {
  const changed = await db.run(sql`
    update findings set vulnerability_id = ${vulnerabilityId}, updated_at = ${now}
    where id = ${findingId} and vulnerability_id is null`)
  return changed === 1
}

/** Attaches findings, which the caller must have locked. */
export async function attachFindings(
  db: Db,
  links: readonly { findingId: number; vulnerabilityId: number | undefined }[],
  now: string,
): Promise<void> {
  const columns = { findingId: 'integer', vulnerabilityId: 'integer' } as const
  await db.run(sql`
    update findings set vulnerability_id = r.vulnerability_id, updated_at = ${now}, version = findings.version + 1
    from ${db.dialect.records(links, columns)} as r where findings.id = r.finding_id`)
}
