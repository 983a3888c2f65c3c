import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { FindingExtras, Vulnerability } from './finding.ts'
import { type VulnerabilityRow, vulnerabilityColumns, vulnerabilityFrom } from './rows.ts'

/** What a webhook is told of a vulnerability. */
export interface AnnouncedVulnerability extends Vulnerability {
  projectPath: string
  findingId: number
  location: object
  cvss: FindingExtras['cvss']
}

export async function listAnnounced(db: Db, ids: readonly number[]): Promise<AnnouncedVulnerability[]> {
  const rows = await db.all<AnnouncedRow>(sql`
    with changed as (select ${vulnerabilityColumns} from vulnerabilities where id in ${db.dialect.integers(ids)})
    select v.*, p.full_path, f.id as finding_id, f.location, f.extras
    from changed v join projects p on p.id = v.project_id join findings f on f.vulnerability_id = v.id
    order by v.id`)
  return rows.map((row) => ({
    ...vulnerabilityFrom(row),
    projectPath: row.full_path,
    findingId: row.finding_id,
    location: row.location,
    cvss: row.extras.cvss,
  }))
}

interface AnnouncedRow extends VulnerabilityRow {
  full_path: string
  finding_id: number
  location: object
  extras: FindingExtras
}

/** The newest one of a project. */
export async function findNewestVulnerability(db: Db, projectId: number): Promise<number | undefined> {
  const row = await db.one<{ id: number | null }>(sql`
    select max(id) as id from vulnerabilities where project_id = ${projectId}`)
  return row?.id ?? undefined
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
