import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { confidenceRanks, severityRanks } from '../vulnerabilities/scales.ts'
import type { ImportCounts } from './ingest.ts'
import type { Identifier, Report, ReportFinding, Scanner } from './report.ts'

export interface ImportDraft {
  projectId: number
  userId: number
  ref: string
  commitSha: string | null
  report: Report
  fileSha256: string
  fileBytes: number
  now: string
}

/** Counts follow when they are known. */
export async function insertImport(db: Db, draft: ImportDraft): Promise<number> {
  const { report } = draft
  const row = await db.one<{ id: number }>(sql`
    insert into imports (project_id, user_id, ref, commit_sha, format, format_version, report_type, scanner_name,
      file_sha256, file_bytes, findings_read, findings_new, findings_known, findings_gone, findings_returned,
      findings_merged, findings_skipped, warnings, created_at)
    values (${draft.projectId}, ${draft.userId}, ${draft.ref}, ${draft.commitSha}, ${report.format},
      ${report.version}, ${report.reportType}, ${report.scanner?.name}, ${draft.fileSha256}, ${draft.fileBytes},
      0, 0, 0, 0, 0, 0, 0, ${report.warnings}, ${draft.now})
    returning id`)
  if (!row) throw new Error('an inserted import returned no id')
  return row.id
}

export async function finishImport(db: Db, id: number, counts: ImportCounts): Promise<void> {
  await db.run(sql`
    update imports set findings_read = ${counts.read}, findings_new = ${counts.new},
      findings_known = ${counts.known}, findings_gone = ${counts.gone}, findings_returned = ${counts.returned},
      findings_merged = ${counts.merged}, findings_skipped = ${counts.skipped}
    where id = ${id}`)
}

/** Ids by external id. What is stored of a scanner is not changed by later reports. */
export async function keepScanners(
  db: Db,
  projectId: number,
  scanners: readonly Scanner[],
  now: string,
): Promise<Map<string, number>> {
  const rows = scanners.map(({ externalId, name, vendor }) => ({ external_id: externalId, name, vendor }))
  const columns = { external_id: 'text', name: 'text', vendor: 'text' } as const
  await db.run(sql`
    insert into scanners (project_id, external_id, name, vendor, created_at)
    select ${projectId}, r.external_id, r.name, r.vendor, ${now} from ${db.dialect.records(rows, columns)} as r
    where true
    on conflict (project_id, external_id) do nothing`)
  const stored = await db.all<{ id: number; external_id: string }>(sql`
    select id, external_id from scanners where project_id = ${projectId}
      and external_id in ${db.dialect.texts(scanners.map(({ externalId }) => externalId))}
    order by id`)
  return new Map(stored.map((row) => [row.external_id, row.id]))
}

/** Ids by fingerprint. In the order of the fingerprints, so that two imports at once do not wait for each other. */
export async function keepIdentifiers(
  db: Db,
  projectId: number,
  identifiers: readonly Identifier[],
): Promise<Map<string, number>> {
  const distinct = new Map(identifiers.map((identifier) => [identifier.fingerprint, identifier]))
  const fingerprints = [...distinct.keys()].sort()
  const select = sql`
    select id, fingerprint from identifiers
    where project_id = ${projectId} and fingerprint in ${db.dialect.texts(fingerprints)} order by id`
  const known = new Map(
    (await db.all<{ id: number; fingerprint: string }>(select)).map((row) => [row.fingerprint, row.id]),
  )
  const fresh = fingerprints.flatMap((fingerprint) => (known.has(fingerprint) ? [] : (distinct.get(fingerprint) ?? [])))
  if (fresh.length === 0) return known

  const rows = fresh.map(({ fingerprint, externalType, externalId, name, url }) => ({
    fingerprint,
    external_type: externalType,
    external_id: externalId,
    name,
    url,
  }))
  const columns = {
    fingerprint: 'text',
    external_type: 'text',
    external_id: 'text',
    name: 'text',
    url: 'text',
  } as const
  await db.run(sql`
    insert into identifiers (project_id, fingerprint, external_type, external_id, name, url)
    select ${projectId}, r.fingerprint, r.external_type, r.external_id, r.name, r.url
    from ${db.dialect.records(rows, columns)} as r where true order by r.fingerprint
    on conflict (project_id, fingerprint) do nothing`)
  // Again, and not what the insert returns: another import may have been faster with some of them.
  const stored = await db.all<{ id: number; fingerprint: string }>(select)
  return new Map(stored.map((row) => [row.fingerprint, row.id]))
}

export interface KnownFinding {
  id: number
  uuid: string
  digest: string
  /** Whether it was there on the ref; `undefined` when it was never seen on it. */
  wasPresent: boolean | undefined
}

export async function findKnownFindings(
  db: Db,
  projectId: number,
  ref: string,
  findings: readonly { uuid: string }[],
): Promise<KnownFinding[]> {
  const rows = await db.all<{ id: number; uuid: string; digest: string; is_present: boolean | null }>(sql`
    select f.id, f.uuid, f.digest, o.is_present
    from findings f left join occurrences o on o.finding_id = f.id and o.ref = ${ref}
    where f.project_id = ${projectId} and f.uuid in ${db.dialect.texts(findings.map(({ uuid }) => uuid))}
    order by f.id`)
  return rows.map(({ is_present, ...row }) => ({ ...row, wasPresent: is_present ?? undefined }))
}

export interface FindingDraft {
  finding: ReportFinding
  digest: string
  scannerId: number
  primaryIdentifierId: number
}

const findingColumns = {
  uuid: 'text',
  report_type: 'text',
  scanner_id: 'integer',
  primary_identifier_id: 'integer',
  name: 'text',
  description: 'text',
  solution: 'text',
  severity: 'integer',
  confidence: 'integer',
  cve: 'text',
  location: 'json',
  location_fingerprint: 'text',
  details: 'json',
  extras: 'json',
  digest: 'text',
  metadata_version: 'text',
  raw_metadata: 'text',
} as const

function rowOf({ finding, digest, scannerId, primaryIdentifierId }: FindingDraft) {
  const { links, flags, evidence, assets, cvss, remediations, signatures } = finding
  return {
    uuid: finding.uuid,
    report_type: finding.reportType,
    scanner_id: scannerId,
    primary_identifier_id: primaryIdentifierId,
    name: finding.name,
    description: finding.description,
    solution: finding.solution,
    severity: severityRanks[finding.severity],
    confidence: confidenceRanks[finding.confidence],
    cve: finding.cve,
    location: finding.location,
    location_fingerprint: finding.locationFingerprint,
    details: finding.details,
    extras: { links, flags, evidence: evidence ?? null, assets, cvss, remediations, signatures },
    digest,
    metadata_version: finding.metadataVersion,
    raw_metadata: finding.rawMetadata,
  }
}

/** A unique violation means that another import was faster; `ingestReport` then runs its transaction again. */
export async function insertFindings(
  db: Db,
  projectId: number,
  drafts: readonly FindingDraft[],
  now: string,
): Promise<{ id: number; uuid: string }[]> {
  if (drafts.length === 0) return []
  return db.all(sql`
    insert into findings (project_id, uuid, report_type, scanner_id, primary_identifier_id, name, description,
      solution, severity, confidence, cve, location, location_fingerprint, details, extras, digest,
      metadata_version, raw_metadata, detected_at, created_at, updated_at)
    select ${projectId}, r.uuid, r.report_type, r.scanner_id, r.primary_identifier_id, r.name, r.description,
      r.solution, r.severity, r.confidence, r.cve, r.location, r.location_fingerprint, r.details, r.extras, r.digest,
      r.metadata_version, r.raw_metadata, ${now}, ${now}, ${now}
    from ${db.dialect.records(drafts.map(rowOf), findingColumns)} as r
    returning id, uuid`)
}

/** Takes over what the newest report says; what people decided stays. */
export async function updateFindings(
  db: Db,
  projectId: number,
  drafts: readonly FindingDraft[],
  now: string,
): Promise<void> {
  if (drafts.length === 0) return
  await db.run(sql`
    update findings set scanner_id = r.scanner_id, primary_identifier_id = r.primary_identifier_id, name = r.name,
      description = r.description, solution = r.solution, severity = r.severity, confidence = r.confidence,
      cve = r.cve, location = r.location, location_fingerprint = r.location_fingerprint, details = r.details,
      extras = r.extras, digest = r.digest, metadata_version = r.metadata_version, raw_metadata = r.raw_metadata,
      updated_at = ${now}
    from ${db.dialect.records(drafts.map(rowOf), findingColumns)} as r
    where findings.project_id = ${projectId} and findings.uuid = r.uuid`)
}

export async function replaceFindingIdentifiers(
  db: Db,
  links: readonly { findingId: number; identifierIds: readonly number[] }[],
): Promise<void> {
  if (links.length === 0) return
  await db.run(sql`
    delete from finding_identifiers
    where finding_id in ${db.dialect.integers(links.map(({ findingId }) => findingId))}`)
  const rows = links.flatMap(({ findingId, identifierIds }) =>
    identifierIds.map((identifierId, position) => ({
      finding_id: findingId,
      position,
      identifier_id: identifierId,
    })),
  )
  const columns = { finding_id: 'integer', position: 'integer', identifier_id: 'integer' } as const
  await db.run(sql`
    insert into finding_identifiers (finding_id, position, identifier_id)
    select r.finding_id, r.position, r.identifier_id from ${db.dialect.records(rows, columns)} as r`)
}

export interface Sighting {
  projectId: number
  ref: string
  importId: number
}

export async function markPresent(
  db: Db,
  { projectId, ref, importId, findingIds, now }: Sighting & { findingIds: readonly number[]; now: string },
): Promise<void> {
  await db.run(sql`
    insert into occurrences (project_id, finding_id, ref, severity, is_present, first_import_id, last_import_id,
      first_seen_at, last_seen_at)
    select ${projectId}, f.id, ${ref}, f.severity, true, ${importId}, ${importId}, ${now}, ${now}
    from findings f where f.id in ${db.dialect.integers(findingIds)} order by f.id
    on conflict (finding_id, ref) do update set severity = excluded.severity, is_present = true,
      last_import_id = excluded.last_import_id, last_seen_at = excluded.last_seen_at`)
}

/** How many of the scanner's findings on the ref this import did not see; they are no longer there. */
export async function markGone(
  db: Db,
  ran: Sighting & { scannerIds: readonly number[]; reportType: string },
): Promise<number> {
  return db.run(sql`
    update occurrences set is_present = false
    where id in (
      select o.id from findings f join occurrences o on o.finding_id = f.id and o.ref = ${ran.ref}
      where f.scanner_id in ${db.dialect.integers(ran.scannerIds)} and f.report_type = ${ran.reportType}
        and o.project_id = ${ran.projectId} and o.is_present = true
        and (o.last_import_id is null or o.last_import_id <> ${ran.importId}))`)
}
