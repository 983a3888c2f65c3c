import sql, { join } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { FindingExtras } from '../../findings/finding.ts'
import type { Severity } from '../../findings/scales.ts'
import { severityRanks } from '../../findings/scales.ts'

/** What a finding says about its exploitation. */
export interface ScoredFinding {
  findingId: number
  vulnerabilityId: number | null
  vectors: FindingExtras['cvss']
  identifiers: string[]
}

/** Returns findings, given by their ids or those of their vulnerabilities. */
export async function listScoredFindings(
  db: Db,
  by: 'id' | 'vulnerability_id',
  ids: readonly number[],
): Promise<ScoredFinding[]> {
  const isListed =
    by === 'id' ? sql`f.id in ${db.dialect.integers(ids)}` : sql`f.vulnerability_id in ${db.dialect.integers(ids)}`
  const findings = await db.all<{ id: number; vulnerabilityId: number | null; vectors: string }>(sql`
    select f.id, f.vulnerability_id, cast(f.extras -> 'cvss' as text) as vectors
    from findings f where ${isListed} order by f.id`)
  const names = await db.all<{ findingId: number; externalId: string }>(sql`
    select fi.finding_id, i.external_id from finding_identifiers fi join identifiers i on i.id = fi.identifier_id
    where fi.finding_id in ${db.dialect.integers(findings.map(({ id }) => id))} order by fi.finding_id, fi.position`)
  const byFinding = new Map<number, string[]>(findings.map(({ id }) => [id, []]))
  for (const { findingId, externalId } of names) byFinding.get(findingId)?.push(externalId)
  return findings.map(({ id, vulnerabilityId, vectors }) => ({
    findingId: id,
    vulnerabilityId,
    vectors: JSON.parse(vectors) as FindingExtras['cvss'], // as the noun stored them
    identifiers: byFinding.get(id) ?? [],
  }))
}

export interface Scores {
  cvssTenths: number | null
  epssMillionths: number | null
  epssPercentileMillionths: number | null
  isKev: boolean
}

export const scoreColumns = {
  cvssTenths: 'integer',
  epssMillionths: 'integer',
  epssPercentileMillionths: 'integer',
  isKev: 'boolean',
} as const

/** Updates those of the vulnerabilities whose scores differ, or that have none yet, and returns their number. */
export async function updateScores(db: Db, scored: readonly (Scores & { id: number })[]): Promise<number> {
  if (scored.length === 0) return 0
  return db.run(sql`
    update vulnerabilities set cvss_tenths = r.cvss_tenths, epss_millionths = r.epss_millionths,
      epss_percentile_millionths = r.epss_percentile_millionths, is_kev = r.is_kev, is_scored = true,
      version = vulnerabilities.version + 1
    from ${db.dialect.records(scored, { id: 'integer', ...scoreColumns })} as r
    where vulnerabilities.id = r.id and (vulnerabilities.is_scored = false
      or vulnerabilities.cvss_tenths is distinct from r.cvss_tenths
      or vulnerabilities.epss_millionths is distinct from r.epss_millionths
      or vulnerabilities.epss_percentile_millionths is distinct from r.epss_percentile_millionths
      or vulnerabilities.is_kev <> r.is_kev)`)
}

export async function listIdsAfter(db: Db, afterId: number, limit: number): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from vulnerabilities where id > ${afterId} order by id limit ${limit}`)
  return rows.map(({ id }) => id)
}

export async function listUnscored(db: Db, limit: number): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from vulnerabilities where is_scored = false order by id limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** Whether any vulnerability has scores or points that are out of date. Reads only. */
export async function hasOutdatedScores(
  db: Db,
  { generations, ageSteps }: { generations: string; ageSteps: readonly AgeStep[] },
): Promise<boolean> {
  const conditions = [
    sql`exists (select 1 from feed_application where generations <> ${generations} or after_id is not null)`,
    sql`exists (select 1 from vulnerabilities where is_scored = false)`,
    sql`exists (select 1 from projects where exposure <> applied_exposure)`,
    ...ageSteps.map(
      ({ former, createdUntil }) => sql`exists (
        select 1 from vulnerabilities
        where age_points = ${former} and age_points < 5 and created_at <= ${createdUntil})`,
    ),
  ]
  return (await db.one(sql`select 1 as found where ${join(conditions, ' or ')}`)) !== undefined
}

export interface AgeStep {
  /** Points of the vulnerabilities that were created at or before the time. */
  points: number
  createdUntil: string
  /** Points of younger ones. */
  former: number
}

/** Raises the points of some vulnerabilities that have reached an age, and returns their number. */
export function raiseAge(db: Db, { points, createdUntil, former }: AgeStep, limit: number): Promise<number> {
  return db.run(sql`
    update vulnerabilities set age_points = ${points}, version = version + 1 where id in (
      select id from vulnerabilities where age_points = ${former} and age_points < 5 and created_at <= ${createdUntil}
      order by created_at limit ${limit})`)
}

export interface NewExposure {
  id: number
  exposure: string
}

/** Returns a project whose vulnerabilities have another exposure. */
export function findNewExposure(db: Db): Promise<NewExposure | undefined> {
  return db.one(sql`select id, exposure from projects where exposure <> applied_exposure order by id limit 1`)
}

/** Returns vulnerabilities of one severity in a project after an id. */
export async function listOfSeverity(
  db: Db,
  { projectId, isOnDefaultBranch, severity }: { projectId: number; isOnDefaultBranch: boolean; severity: Severity },
  afterId: number,
  limit: number,
): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from vulnerabilities
    where project_id = ${projectId} and is_on_default_branch = ${isOnDefaultBranch}
      and severity = ${severityRanks[severity]} and id > ${afterId}
    order by id limit ${limit}`)
  return rows.map(({ id }) => id)
}

export async function updateExposure(db: Db, ids: readonly number[], points: number): Promise<void> {
  await db.run(sql`
    update vulnerabilities set exposure_points = ${points}, version = version + 1
    where id in ${db.dialect.integers(ids)} and exposure_points <> ${points}`)
}

export interface FeedApplication {
  generations: string
  afterId: number | null
}

/** Begins or continues to apply the feeds. Undefined while another process does. */
export function claimApplication(
  db: Db,
  { now, until }: { now: string; until: string },
): Promise<FeedApplication | undefined> {
  return db.one(sql`
    update feed_application set running_until = ${until}
    where id = 1 and (running_until is null or running_until < ${now}) returning generations, after_id`)
}

export async function saveApplication(
  db: Db,
  { generations, afterId, runningUntil }: FeedApplication & { runningUntil: string | null },
): Promise<void> {
  const values = [sql`generations = ${generations}`, sql`after_id = ${afterId}`, sql`running_until = ${runningUntil}`]
  await db.run(sql`update feed_application set ${join(values)} where id = 1`)
}

export async function releaseApplication(db: Db): Promise<void> {
  await db.run(sql`update feed_application set running_until = null where id = 1`)
}
