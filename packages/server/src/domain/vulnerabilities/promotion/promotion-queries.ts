import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { Finding } from '../../findings/finding.ts'
import { type FindingRow, findingColumns, findingFrom } from '../../findings/finding-sql.ts'
import { hasFix } from '../../findings/fix-sql.ts'
import { confidenceRanks, type Severity, severityRanks } from '../../findings/scales.ts'
import { exposurePoints } from '../priority/priority.ts'
import { type Scores, scoreColumns } from '../priority/score-queries.ts'
import type { Vulnerability } from '../vulnerability.ts'
import { type VulnerabilityRow, vulnerabilityColumns, vulnerabilityFrom } from '../vulnerability-sql.ts'

/** Returns a finding by id or uuid, locked until the transaction ends. */
export async function lockFinding(
  db: Db,
  projectId: number,
  reference: number | string,
): Promise<(Finding & { hasFix: boolean; isSuppressed: boolean }) | undefined> {
  const which = typeof reference === 'number' ? sql`f.id = ${reference}` : sql`f.uuid = ${reference.toLowerCase()}`
  const row = await db.one<FindingRow & { hasFix: boolean | number; isSuppressed: boolean | number }>(sql`
    select ${findingColumns}, ${hasFix('f')} as has_fix, ${isSuppressed('f')} as is_suppressed from findings f where f.project_id = ${projectId} and ${which}
      and exists (select 1 from occurrences o where o.finding_id = f.id) ${db.dialect.forUpdate}`)
  return row && { ...findingFrom(row), hasFix: Boolean(row.hasFix), isSuppressed: Boolean(row.isSuppressed) }
}

/** Whether the last report states a suppression of the finding. */
const isSuppressed = (alias: 'f' | 'findings'): Sql =>
  sql`exists (select 1 from source_suppressions s where s.finding_id = ${raw(alias)}.id)`

export interface VulnerabilityDraft {
  projectId: number
  authorId: number
  title: string
  severity: Severity
  confidence: Finding['confidence']
  reportType: string
  scannerId: number
  dueOn: string | null
  fixAvailableAt: string | null
  scores: Scores
  flawKey: number | undefined
  now: string
}

export async function insertVulnerability(db: Db, draft: VulnerabilityDraft): Promise<Vulnerability> {
  const row = await db.one<VulnerabilityRow>(sql`
    insert into vulnerabilities (project_id, author_id, title, state, severity, confidence, report_type,
      scanner_id, due_on, fix_available_at, cvss_tenths, epss_millionths, epss_percentile_millionths, is_kev,
      exposure_points, is_scored, flaw_key, created_at, updated_at)
    values (${draft.projectId}, ${draft.authorId}, ${draft.title}, 'detected', ${severityRanks[draft.severity]},
      ${confidenceRanks[draft.confidence]}, ${draft.reportType}, ${draft.scannerId}, ${draft.dueOn},
      ${draft.fixAvailableAt}, ${draft.scores.cvssTenths}, ${draft.scores.epssMillionths},
      ${draft.scores.epssPercentileMillionths}, ${draft.scores.isKev}, ${exposurePointsOf(draft.projectId)}, true,
      ${draft.flawKey ?? null}, ${draft.now}, ${draft.now})
    returning ${vulnerabilityColumns}`)
  if (!row) throw new Error('an inserted vulnerability returned no row')
  return vulnerabilityFrom(row)
}

/** A finding without a vulnerability. Severity and confidence are the stored ranks. */
export interface UnattachedFinding {
  id: number
  name: string
  severity: number
  confidence: number
  reportType: string
  scannerId: number
  isOnDefaultBranch: boolean
  /** Whether the report describes a fix. */
  hasFix: boolean
  isSuppressed: boolean
}

/** Returns those of the findings that have no vulnerability, locked until the transaction ends. */
export async function listUnattachedFindings(
  db: Db,
  ids: readonly number[],
  defaultBranch: string,
): Promise<UnattachedFinding[]> {
  // `coalesce` instead of `is null`: with old statistics PostgreSQL would scan the index of all unpromoted findings.
  const rows = await db.all<UnattachedRow>(sql`
    select id, name, severity, confidence, report_type, scanner_id, ${hasFix('findings')} as has_fix,
      ${isSuppressed('findings')} as is_suppressed,
      (select o.id from occurrences o where o.finding_id = findings.id and o.ref = ${defaultBranch}) as seen_on_default
    from findings
    where id in ${db.dialect.integers(ids)} and coalesce(vulnerability_id, 0) = 0 order by id ${db.dialect.forUpdate}`)
  return rows.map(({ seenOnDefault, hasFix, isSuppressed, ...row }) => ({
    ...row,
    isOnDefaultBranch: seenOnDefault !== null,
    hasFix: Boolean(hasFix),
    isSuppressed: Boolean(isSuppressed),
  }))
}

type UnattachedRow = Omit<UnattachedFinding, 'isOnDefaultBranch' | 'hasFix' | 'isSuppressed'> & {
  seenOnDefault: number | null
  hasFix: boolean | number
  isSuppressed: boolean | number
}

/** Points of the current exposure of a project. */
const exposurePointsOf = (projectId: number): Sql => sql`(
  select case exposure ${join(
    Object.entries(exposurePoints).map(([exposure, points]) => sql`when ${exposure} then ${raw(`${points}`)}`),
    ' ',
  )} end from projects where id = ${projectId})`

export interface PromotedDraft extends UnattachedFinding, Scores {
  title: string
  dueOn: string | null
  fixAvailableAt: string | null
  flawKey: number | undefined
}

/** Returns those of the ids that are findings of the project and were observed on some ref. */
export async function listFindingMembers(db: Db, projectId: number, ids: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from findings
    where id in ${db.dialect.integers(ids)} and +project_id = ${projectId} -- + keeps SQLite from scanning the project
      and exists (select 1 from occurrences o where o.finding_id = findings.id)
    order by id`)
  return rows.map(({ id }) => id)
}

/** Inserts vulnerabilities and returns their ids in the order of the drafts. */
export async function insertVulnerabilities(
  db: Db,
  { projectId, authorId, now }: { projectId: number; authorId: number | null; now: string },
  drafts: readonly PromotedDraft[],
): Promise<number[]> {
  const rows = drafts.map((draft, position) => ({ ...draft, position }))
  const columns = {
    position: 'integer',
    title: 'text',
    severity: 'integer',
    confidence: 'integer',
    reportType: 'text',
    scannerId: 'integer',
    isOnDefaultBranch: 'boolean',
    dueOn: 'text',
    fixAvailableAt: 'timestamp',
    flawKey: 'integer',
    ...scoreColumns,
  } as const
  const inserted = await db.all<{ id: number }>(sql`
    insert into vulnerabilities (project_id, author_id, title, state, severity, confidence, report_type,
      scanner_id, is_on_default_branch, due_on, fix_available_at, cvss_tenths, epss_millionths,
      epss_percentile_millionths, is_kev, exposure_points, is_scored, flaw_key, created_at, updated_at)
    select ${projectId}, ${authorId}, r.title, 'detected', r.severity, r.confidence, r.report_type, r.scanner_id,
      r.is_on_default_branch, r.due_on, r.fix_available_at, r.cvss_tenths, r.epss_millionths,
      r.epss_percentile_millionths, r.is_kev, ${exposurePointsOf(projectId)}, true, r.flaw_key, ${now}, ${now}
    from ${db.dialect.records(rows, columns)} as r order by r.position
    returning id`)
  // Ids ascend in the order of insertion, while the order of returned rows is undefined.
  return inserted.map(({ id }) => id).sort((a, b) => a - b)
}

/** Returns the vulnerabilities of the findings in the order of ids. */
export async function listVulnerabilitiesOf(db: Db, findingIds: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ vulnerabilityId: number }>(sql`
    select vulnerability_id from findings
    where id in ${db.dialect.integers(findingIds)} and vulnerability_id is not null order by vulnerability_id`)
  return rows.map(({ vulnerabilityId }) => vulnerabilityId)
}

/**
 * Locks the findings in the order of ids, and returns the vulnerabilities of those that have one. It waits for concurrent
 * promotions, so that their vulnerabilities are among them.
 */
export async function lockVulnerabilitiesOf(db: Db, findingIds: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ vulnerabilityId: number | null }>(sql`
    select vulnerability_id from findings where id in ${db.dialect.integers(findingIds)} order by id ${db.dialect.forUpdate}`)
  return rows.flatMap(({ vulnerabilityId }) => vulnerabilityId ?? [])
}
