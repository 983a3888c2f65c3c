import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { anywhereRank, isOfFingerprint, lineOf, locationRank } from './finding-key.ts'
import { idsOfKeys, newestScan } from './finding-sql.ts'
import type { ImportKey } from './imported-findings/import-key.ts'
import type { Candidate, CandidateScope } from './known-finding.ts'
import { loadCategories } from './occurrences/category-queries.ts'

interface CandidateRow {
  id: number
  uuid: string
  digest: string
  vulnerabilityId: number | null
  isPresent: boolean | null
  artifact: string | null
  seenOnDefault: number | null
  reportType: string
  scannerId: number
  location: { [key: string]: unknown }
}

/** Returns the observed findings that have one of these keys, with that key. */
export async function listByKeys(
  db: Db,
  place: CandidateScope,
  keys: readonly string[],
): Promise<(Candidate & { key: string })[]> {
  const rows = await db.all<CandidateRow & { key: string }>(sql`
    select k.key, ${candidateColumns(place)}
    from finding_keys k join findings f on f.id = k.finding_id
      left join occurrences o on o.finding_id = f.id and o.ref = ${place.ref}
    where k.project_id = ${place.projectId} and k.key ${db.dialect.among(db.dialect.texts(keys))} and ${isObserved}
    order by f.id, k.rank`)
  const candidateFrom = await openCandidates(db, place, rows)
  return rows.map((row) => ({ ...candidateFrom(row), key: row.key }))
}

/** Returns the imported findings that no report has contained yet and that have one of these keys, with that key. */
export async function listByImportKeys(
  db: Db,
  place: CandidateScope,
  keys: readonly string[],
): Promise<(Candidate & ImportKey)[]> {
  const rows = await db.all<CandidateRow & ImportKey>(sql`
    select k.key, k.rank, ${candidateColumns(place)}
    from imported_finding_keys k join findings f on f.id = k.finding_id
      left join occurrences o on o.finding_id = f.id and o.ref = ${place.ref}
    where k.project_id = ${place.projectId} and k.key ${db.dialect.among(db.dialect.texts(keys))} and ${isObserved}
    order by f.id, k.rank, k.key`)
  const candidateFrom = await openCandidates(db, place, rows)
  return rows.map((row) => ({ ...candidateFrom(row), key: row.key, rank: row.rank }))
}

export async function listByUuids(db: Db, place: CandidateScope, uuids: readonly string[]): Promise<Candidate[]> {
  const rows = await db.all<CandidateRow>(sql`
    select ${candidateColumns(place)}
    from findings f left join occurrences o on o.finding_id = f.id and o.ref = ${place.ref}
    where f.id ${idsOfKeys(db, 'findings', place.projectId, uuids)} and ${isObserved}
    order by f.id`)
  const candidateFrom = await openCandidates(db, place, rows)
  return rows.map(candidateFrom)
}

/** Checks one finding at a time. With `exists`, PostgreSQL may scan all occurrences until the table is analysed. */
const isObserved = sql`(select min(+s.id) from occurrences s where s.finding_id = f.id) is not null`

/** Returns the fingerprint keys of findings by finding id. */
export async function listFingerprintKeys(
  db: Db,
  findingIds: readonly number[],
): Promise<Map<number, { inFile: string[]; anywhere: string[] }>> {
  const rows = await db.all<{ findingId: number; rank: number; key: string }>(sql`
    select k.finding_id, k.rank, k.key from finding_keys k
    where k.finding_id ${db.dialect.among(db.dialect.integers(findingIds))} order by k.finding_id, k.rank`)
  const keys = new Map<number, { inFile: string[]; anywhere: string[] }>()
  for (const { findingId, rank, key } of rows) {
    if (!isOfFingerprint(rank)) continue
    const of = keys.get(findingId) ?? { inFile: [], anywhere: [] }
    keys.set(findingId, of)
    of[rank < anywhereRank ? 'inFile' : 'anywhere'].push(key)
  }
  return keys
}

/**
 * Returns findings in code that have no key but their line, in these files, and are present on the ref or, if never
 * observed there, on the default branch.
 */
export async function listByFiles(
  db: Db,
  place: CandidateScope,
  scannerIds: readonly number[],
  files: readonly string[],
): Promise<(Candidate & { identifier: string; file: string })[]> {
  const starts = db.dialect.texts(files.map((file) => [...file].slice(0, maxIndexedPath).join('')))
  const rows = await db.all<CandidateRow & { identifier: string; locationPath: string }>(sql`
    select ${candidateColumns(place)}, i.fingerprint as identifier, f.location_path
    from findings f join identifiers i on i.id = f.primary_identifier_id
      left join occurrences o on o.finding_id = f.id and o.ref = ${place.ref}
    where f.project_id = ${place.projectId}
      and substr(f.location_path, 1, 500) ${db.dialect.among(sql`select * from ${starts} as listed`)}
      and f.report_type = 'sast' and f.scanner_id in ${db.dialect.integers(scannerIds)}
      and not exists (select 1 from finding_keys k where k.finding_id = f.id and k.rank <> ${locationRank})
      and (o.is_present = true or (o.id is null and exists (
        select 1 from occurrences d where d.finding_id = f.id and d.ref = ${place.defaultBranch} and d.is_present = true)))
    order by f.id`)
  const candidateFrom = await openCandidates(db, place, rows)
  return rows.map((row) => ({ ...candidateFrom(row), identifier: row.identifier, file: row.locationPath }))
}

/** Number of characters of a location path that the index contains. */
const maxIndexedPath = 500

const candidateColumns = ({
  defaultBranch,
  artifact,
}: CandidateScope) => sql`f.id, f.uuid, f.digest, f.vulnerability_id,
  f.report_type, f.scanner_id, f.location, o.is_present,
  ${artifact === undefined ? sql`null` : artifactOfLastImport} as artifact,
  (select d.id from occurrences d where d.finding_id = f.id and d.ref = ${defaultBranch}) as seen_on_default`

const artifactOfLastImport = sql`(
    select m.artifact from imports m where m.id = coalesce(${newestScan('import_id')}, o.last_import_id))`

/** Loads the categories of the rows, and returns a function that converts a row. */
async function openCandidates(
  db: Db,
  { ref, defaultBranch, category }: CandidateScope,
  rows: readonly CandidateRow[],
): Promise<(row: CandidateRow) => Candidate> {
  const ids = rows.map(({ id }) => id)
  const categoriesOf = await loadCategories(db, category, [ref, defaultBranch], ids)
  return (row) => ({
    id: row.id,
    uuid: row.uuid,
    digest: row.digest,
    vulnerabilityId: row.vulnerabilityId,
    wasPresent: row.isPresent ?? undefined,
    categories: categoriesOf(row.id),
    artifact: row.artifact,
    wasOnDefaultBranch: row.seenOnDefault !== null,
    reportType: row.reportType,
    scannerId: row.scannerId,
    line: lineOf(row.location),
  })
}
