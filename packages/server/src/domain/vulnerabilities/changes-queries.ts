import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { FindingExtras } from './finding.ts'
import { type State, severityOf } from './scales.ts'

/** What a webhook is told of a vulnerability. */
export interface ChangedVulnerability {
  id: number
  projectId: number
  projectPath: string
  findingId: number
  title: string
  state: State
  severity: string
  reportType: string
  location: object
  cvss: FindingExtras['cvss']
  isResolvedOnDefaultBranch: boolean
  isSeverityOverridden: boolean
  isAutoResolved: boolean
  confirmedAt: string | null
  confirmedById: number | null
  dismissedAt: string | null
  dismissedById: number | null
  resolvedAt: string | null
  resolvedById: number | null
  createdAt: string
  updatedAt: string
}

export async function listChanged(db: Db, ids: readonly number[]): Promise<ChangedVulnerability[]> {
  const rows = await db.all<ChangedRow>(sql`
    select v.id, v.project_id, p.full_path, f.id as finding_id, v.title, v.state, v.severity, v.report_type, f.location,
      f.extras, v.is_resolved_on_default_branch, v.is_severity_overridden, v.is_auto_resolved, v.confirmed_at,
      v.confirmed_by_id, v.dismissed_at, v.dismissed_by_id, v.resolved_at, v.resolved_by_id, v.created_at, v.updated_at
    from vulnerabilities v join projects p on p.id = v.project_id join findings f on f.vulnerability_id = v.id
    where v.id in ${db.dialect.integers(ids)} order by v.id`)
  return rows.map((row) => ({
    id: row.id,
    projectId: row.project_id,
    projectPath: row.full_path,
    findingId: row.finding_id,
    title: row.title,
    state: row.state,
    severity: severityOf(row.severity),
    reportType: row.report_type,
    location: row.location,
    cvss: row.extras.cvss,
    isResolvedOnDefaultBranch: row.is_resolved_on_default_branch,
    isSeverityOverridden: row.is_severity_overridden,
    isAutoResolved: row.is_auto_resolved,
    confirmedAt: row.confirmed_at,
    confirmedById: row.confirmed_by_id,
    dismissedAt: row.dismissed_at,
    dismissedById: row.dismissed_by_id,
    resolvedAt: row.resolved_at,
    resolvedById: row.resolved_by_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }))
}

/** The newest one of a project. */
export async function findNewestVulnerability(db: Db, projectId: number): Promise<number | undefined> {
  const row = await db.one<{ id: number | null }>(sql`
    select max(id) as id from vulnerabilities where project_id = ${projectId}`)
  return row?.id ?? undefined
}

interface ChangedRow {
  id: number
  project_id: number
  full_path: string
  finding_id: number
  title: string
  state: State
  severity: number
  report_type: string
  location: object
  extras: FindingExtras
  is_resolved_on_default_branch: boolean
  is_severity_overridden: boolean
  is_auto_resolved: boolean
  confirmed_at: string | null
  confirmed_by_id: number | null
  dismissed_at: string | null
  dismissed_by_id: number | null
  resolved_at: string | null
  resolved_by_id: number | null
  created_at: string
  updated_at: string
}

/** What the vulnerabilities are linked to, in the order in which it was. */
export async function listLinked(
  db: Db,
  ids: readonly number[],
): Promise<{ vulnerabilityId: number; url: string; title: string; createdAt: string; updatedAt: string }[]> {
  const rows = await db.all<{
    vulnerability_id: number
    url: string
    title: string
    created_at: string
    updated_at: string
  }>(sql`
    select vulnerability_id, url, title, created_at, updated_at from vulnerability_links
    where vulnerability_id in ${db.dialect.integers(ids)} order by id`)
  return rows.map((row) => ({
    vulnerabilityId: row.vulnerability_id,
    url: row.url,
    title: row.title,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }))
}
