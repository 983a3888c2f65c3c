import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { refreshOccurrences } from '../../findings/occurrence-queries.ts'
import type { FindingKey } from '../comparison/finding-keys.ts'
import { type ImportedFinding, importedColumns } from '../comparison/imported-finding.ts'
import { idsOfKeys } from '../comparison/key-queries.ts'

/** A stored finding that has, or was matched under, a uuid of the report. */
export interface KnownFinding {
  id: number
  /** The requested uuid: the finding's own, or one that it was matched under. */
  uuid: string
  isOwnUuid: boolean
  digest: string
  vulnerabilityId: number | null
  /** Whether the finding was present on the ref; `undefined` if it was never observed there. */
  wasPresent: boolean | undefined
  /** Categories of the finding on the ref, in the format of categories.ts. */
  categories: string
  /** False for a finding without occurrences, left behind by an import that did not finish. It is invisible. */
  wasSeen: boolean
  wasOnDefaultBranch: boolean
}

interface KnownFindingRow {
  id: number
  uuid: string
  digest: string
  vulnerability_id: number | null
  /** Computed column, so SQLite returns a number. */
  is_present: boolean | number | null
  categories: string | null
  seen_somewhere: number | null
  seen_on_default: number | null
}

/** Returns the stored findings of these uuids, including findings that were matched under one of them. */
export async function findKnownFindings(
  db: Db,
  { projectId, ref, defaultBranch }: { projectId: number; ref: string; defaultBranch: string },
  uuids: readonly string[],
): Promise<KnownFinding[]> {
  const onRef = (column: Sql) => sql`(select ${column} from occurrences o where o.finding_id = f.id and o.ref = ${ref})`
  // `+` keeps PostgreSQL from scanning all occurrences in id order to find the minimum.
  const columns = sql`f.id, f.digest, f.vulnerability_id, ${onRef(sql`o.is_present`)} as is_present,
    ${onRef(sql`o.categories`)} as categories,
    (select min(+s.id) from occurrences s where s.finding_id = f.id) as seen_somewhere,
    (select d.id from occurrences d where d.finding_id = f.id and d.ref = ${defaultBranch}) as seen_on_default`
  const rows = await db.all<KnownFindingRow>(sql`
    select f.uuid, ${columns} from findings f where f.id ${idsOfKeys(db, 'findings', projectId, uuids)} order by f.id`)
  const known = new Set(rows.map(({ uuid }) => uuid))
  const others = uuids.filter((uuid) => !known.has(uuid))
  const recognised =
    others.length === 0
      ? []
      : await db.all<KnownFindingRow>(sql`
          select m.uuid, ${columns}
          from finding_matches m join findings f on f.id = m.finding_id
          where m.id ${idsOfKeys(db, 'finding_matches', projectId, others)} order by m.id`)
  return [...rows.map(knownFrom(true)), ...recognised.map(knownFrom(false))]
}

const knownFrom =
  (isOwnUuid: boolean) =>
  (row: KnownFindingRow): KnownFinding => ({
    id: row.id,
    uuid: row.uuid,
    isOwnUuid,
    digest: row.digest,
    vulnerabilityId: row.vulnerability_id,
    wasPresent: row.is_present === null ? undefined : Boolean(row.is_present),
    categories: row.categories ?? '',
    wasSeen: row.seen_somewhere !== null,
    wasOnDefaultBranch: row.seen_on_default !== null,
  })

/** Returns true if the scanner has at least one visible finding. */
export async function hasFindings(db: Db, scannerId: number): Promise<boolean> {
  const row = await db.one(sql`
    select f.id from findings f where f.scanner_id = ${scannerId}
      and exists (select 1 from occurrences o where o.finding_id = f.id) limit 1`)
  return row !== undefined
}

/** Returns true if the project has at least one finding, visible or not. */
export async function hasAnyFinding(db: Db, projectId: number): Promise<boolean> {
  return (await db.one(sql`select id from findings where project_id = ${projectId} limit 1`)) !== undefined
}

/** A finding ready to be stored, with its child rows. Formats produce a `FindingDraft`, which is an earlier stage. */
export interface StoredDraft extends Pick<ImportedFinding, 'uuid' | 'row'> {
  identifierIds: readonly number[]
  keys: readonly FindingKey[]
}

/** Inserts findings and returns their ids by uuid. They stay invisible until they have an occurrence. */
export async function insertFindings(
  db: Db,
  { projectId, importId, now }: { projectId: number; importId: number; now: string },
  drafts: readonly StoredDraft[],
): Promise<Map<string, number>> {
  if (drafts.length === 0) return new Map()
  const inserted = await db.all<{ id: number; uuid: string }>(sql`
    insert into findings (project_id, import_id, uuid, report_type, scanner_id, primary_identifier_id, name,
      description, solution, severity, confidence, cve, location, location_fingerprint, details, extras, digest,
      metadata_version, raw_metadata, detected_at, created_at, updated_at)
    select ${projectId}, ${importId}, r.uuid, r.report_type, r.scanner_id, r.primary_identifier_id, r.name,
      r.description, r.solution, r.severity, r.confidence, r.cve, r.location, r.location_fingerprint, r.details,
      r.extras, r.digest, r.metadata_version, r.raw_metadata, ${now}, ${now}, ${now}
    from ${rowsOf(db, projectId, drafts)} as r
    returning id, uuid`)
  return new Map(inserted.map(({ id, uuid }) => [uuid, id]))
}

/** Returns the rows of drafts with scanner and identifier ids; `idsOfKeys` explains why each id is looked up alone. */
function rowsOf({ dialect }: Db, projectId: number, drafts: readonly StoredDraft[]): Sql {
  const texts = drafts.map(({ row }) => row)
  return sql`(
    select t.*,
      (select s.id from scanners s where s.project_id = ${projectId} and s.external_id = t.scanner) as scanner_id,
      (select i.id from identifiers i where i.project_id = ${projectId} and i.fingerprint = t.primary_identifier)
        as primary_identifier_id
    from ${dialect.recordsOf(texts, importedColumns)} as t)`
}

/**
 * Overwrites findings with the content of the newest report, except uuid and triage decisions. Refreshes occurrences,
 * because they are sorted by severity.
 */
export async function updateFindings(
  db: Db,
  projectId: number,
  drafts: readonly { findingId: number; draft: StoredDraft }[],
  now: string,
): Promise<void> {
  if (drafts.length === 0) return
  const ids = drafts.map(({ findingId, draft: { uuid } }) => ({ id: findingId, uuid }))
  const rows = rowsOf(
    db,
    projectId,
    drafts.map(({ draft }) => draft),
  )
  const updated = await db.run(sql`
    update findings set scanner_id = r.scanner_id, primary_identifier_id = r.primary_identifier_id, name = r.name,
      description = r.description, solution = r.solution, severity = r.severity, confidence = r.confidence,
      cve = r.cve, location = r.location, location_fingerprint = r.location_fingerprint, details = r.details,
      extras = r.extras, digest = r.digest, metadata_version = r.metadata_version, raw_metadata = r.raw_metadata,
      updated_at = ${now}
    from ${db.dialect.records(ids, { id: 'integer', uuid: 'text' })} as k join ${rows} as r on r.uuid = k.uuid
    where findings.id = k.id`)
  if (updated < drafts.length) throw new Error('what a staged finding names is gone')
  await refreshOccurrences(
    db,
    drafts.map(({ findingId }) => findingId),
  )
}

/** Inserts the child rows that depend on the content of a finding: identifiers and matching keys. */
export async function insertChildRows(
  db: Db,
  projectId: number,
  drafts: readonly { findingId: number; draft: StoredDraft }[],
): Promise<void> {
  const identifiers = drafts.flatMap(({ findingId, draft }) =>
    draft.identifierIds.map((identifierId, position) => ({
      finding_id: findingId,
      position,
      identifier_id: identifierId,
    })),
  )
  if (identifiers.length > 0) {
    const columns = { finding_id: 'integer', position: 'integer', identifier_id: 'integer' } as const
    await db.run(sql`
      insert into finding_identifiers (finding_id, position, identifier_id)
      select r.finding_id, r.position, r.identifier_id from ${db.dialect.records(identifiers, columns)} as r`)
  }
  const keys = drafts.flatMap(({ findingId, draft }) => draft.keys.map((key) => ({ finding_id: findingId, ...key })))
  if (keys.length === 0) return
  const columns = { finding_id: 'integer', rank: 'integer', key: 'text' } as const
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
  const rows = await db.all<{ id: number }>(sql`
    select f.id from findings f where f.import_id = ${importId} and f.vulnerability_id is null
      and not exists (select 1 from occurrences o where o.finding_id = f.id)
    order by f.id limit ${limit}`)
  return rows.map(({ id }) => id)
}

export async function listIdentifierIds(db: Db, findingIds: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ identifier_id: number }>(sql`
    select distinct identifier_id from finding_identifiers
    where finding_id in ${db.dialect.integers(findingIds)} order by identifier_id`)
  return rows.map(({ identifier_id }) => identifier_id)
}

/** Moves the content and child rows of each shadow finding to its known finding. The caller deletes the shadow. */
export async function mergeFindings(
  db: Db,
  pairs: readonly { shadowId: number; findingId: number }[],
  now: string,
): Promise<void> {
  if (pairs.length === 0) return
  const rows = pairs.map(({ shadowId, findingId }) => ({ shadow_id: shadowId, finding_id: findingId }))
  const listed = db.dialect.records(rows, { shadow_id: 'integer', finding_id: 'integer' })
  const known = pairs.map(({ findingId }) => findingId)
  await db.run(sql`
    update findings set scanner_id = s.scanner_id, primary_identifier_id = s.primary_identifier_id, name = s.name,
      description = s.description, solution = s.solution, severity = s.severity, confidence = s.confidence,
      cve = s.cve, location = s.location, location_fingerprint = s.location_fingerprint, details = s.details,
      extras = s.extras, digest = s.digest, metadata_version = s.metadata_version, raw_metadata = s.raw_metadata,
      updated_at = ${now}
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
  const rows = renamed.map(({ findingId, uuid }) => ({ finding_id: findingId, uuid }))
  await db.run(sql`
    update findings set uuid = r.uuid, updated_at = ${now}
    from ${db.dialect.records(rows, { finding_id: 'integer', uuid: 'text' })} as r where findings.id = r.finding_id`)
}
