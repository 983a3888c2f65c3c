import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

/**
 * Gives the vulnerabilities of these findings what the findings say now, where it differs; resolved ones are detected
 * again. Tells how many changed.
 */
export async function takeOverFindings(db: Db, findingIds: readonly number[], now: string): Promise<number> {
  return db.run(sql`
    update vulnerabilities set
      title = case when length(f.name) > 255 then title else trim(f.name) end,
      severity = f.severity, confidence = f.confidence, scanner_id = f.scanner_id, is_resolved_on_default_branch = false,
      state = case when state = 'resolved' then 'detected' else state end,
      resolved_at = case when state = 'resolved' then null else resolved_at end,
      resolved_by_id = case when state = 'resolved' then null else resolved_by_id end,
      updated_at = ${now}
    from findings f
    where f.vulnerability_id = vulnerabilities.id and f.id in ${db.dialect.integers(findingIds)}
      and (vulnerabilities.severity <> f.severity or vulnerabilities.confidence <> f.confidence
        or vulnerabilities.scanner_id <> f.scanner_id
        or vulnerabilities.is_resolved_on_default_branch = true or vulnerabilities.state = 'resolved'
        or (vulnerabilities.title <> trim(f.name) and length(f.name) <= 255))`)
}

/** Of these findings' vulnerabilities. */
export async function listVulnerabilityIds(db: Db, findingIds: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ vulnerability_id: number }>(sql`
    select vulnerability_id from findings
    where id in ${db.dialect.integers(findingIds)} and vulnerability_id is not null order by vulnerability_id`)
  return rows.map((row) => row.vulnerability_id)
}

/** Of findings that are gone. Secrets are not: a secret that left the code has still leaked. */
export async function listGoneVulnerabilities(db: Db, findingIds: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select v.id from findings f join vulnerabilities v on v.id = f.vulnerability_id
    where f.id in ${db.dialect.integers(findingIds)}
      and v.is_resolved_on_default_branch = false and v.report_type <> 'secret_detection'
    order by v.id`)
  return rows.map(({ id }) => id)
}

export async function setResolvedOnDefaultBranch(db: Db, ids: readonly number[], now: string): Promise<void> {
  await db.run(sql`
    update vulnerabilities set is_resolved_on_default_branch = true, updated_at = ${now}
    where id in ${db.dialect.integers(ids)} and is_resolved_on_default_branch = false`)
}

export interface UnattachedFinding {
  id: number
  name: string
  severity: number
  confidence: number
  reportType: string
  scannerId: number
}

export async function listUnattachedFindings(db: Db, ids: readonly number[]): Promise<UnattachedFinding[]> {
  const rows = await db.all<UnattachedRow>(sql`
    select id, name, severity, confidence, report_type, scanner_id from findings
    where id in ${db.dialect.integers(ids)} and vulnerability_id is null order by id ${db.dialect.forUpdate}`)
  return rows.map(({ report_type, scanner_id, ...row }) => ({
    ...row,
    reportType: report_type,
    scannerId: scanner_id,
  }))
}

type UnattachedRow = Omit<UnattachedFinding, 'reportType' | 'scannerId'> & { report_type: string; scanner_id: number }

/** The ids of the new rows, in the order of the drafts. */
export async function insertVulnerabilities(
  db: Db,
  projectId: number,
  authorId: number,
  drafts: readonly (UnattachedFinding & { title: string })[],
  now: string,
): Promise<number[]> {
  const rows = drafts.map(({ title, severity, confidence, reportType, scannerId }, position) => ({
    position,
    title,
    severity,
    confidence,
    report_type: reportType,
    scanner_id: scannerId,
  }))
  const columns = {
    position: 'integer',
    title: 'text',
    severity: 'integer',
    confidence: 'integer',
    report_type: 'text',
    scanner_id: 'integer',
  } as const
  const inserted = await db.all<{ id: number }>(sql`
    insert into vulnerabilities (project_id, author_id, title, state, severity, confidence, report_type,
      scanner_id, created_at, updated_at)
    select ${projectId}, ${authorId}, r.title, 'detected', r.severity, r.confidence, r.report_type, r.scanner_id,
      ${now}, ${now}
    from ${db.dialect.records(rows, columns)} as r order by r.position
    returning id`)
  // Ids rise in the order of insertion; the order in which rows are returned is not promised.
  return inserted.map(({ id }) => id).sort((a, b) => a - b)
}

export async function attachFindings(
  db: Db,
  links: readonly { findingId: number; vulnerabilityId: number | undefined }[],
  now: string,
): Promise<void> {
  const rows = links.map(({ findingId, vulnerabilityId }) => ({
    finding_id: findingId,
    vulnerability_id: vulnerabilityId,
  }))
  const columns = { finding_id: 'integer', vulnerability_id: 'integer' } as const
  await db.run(sql`
    update findings set vulnerability_id = r.vulnerability_id, updated_at = ${now}
    from ${db.dialect.records(rows, columns)} as r where findings.id = r.finding_id`)
}
