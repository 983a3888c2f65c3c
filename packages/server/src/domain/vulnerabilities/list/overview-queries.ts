import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'

/** Returns the images of vulnerabilities of projects, by name. */
export async function listImages(db: Db, projectIds: readonly number[], limit: number): Promise<string[]> {
  const rows = await db.all<{ name: string }>(sql`
    select distinct f.location ->> 'image' as name
    from findings f join vulnerabilities v on v.id = f.vulnerability_id
    where v.project_id in ${db.dialect.integers(projectIds)} and v.is_on_default_branch = true
      and f.report_type in ('container_scanning', 'container_scanning_for_registry', 'cluster_image_scanning')
      and f.location ->> 'image' is not null
    order by name limit ${limit}`)
  return rows.map(({ name }) => name)
}

/** Returns the names of identifiers of vulnerabilities that contain a text, case-insensitive. */
export async function listIdentifierNames(
  db: Db,
  projectIds: readonly number[],
  { part, limit }: { part: string; limit: number },
): Promise<string[]> {
  const rows = await db.all<{ name: string }>(sql`
    select distinct i.name from identifiers i
    where i.project_id in ${db.dialect.integers(projectIds)} and ${db.dialect.contains(sql`i.name`, part)}
      and exists (
        select 1 from finding_identifiers fi join findings f on f.id = fi.finding_id
        where fi.identifier_id = i.id and f.vulnerability_id is not null)
    order by i.name limit ${limit}`)
  return rows.map(({ name }) => name)
}

/** Returns the types of the reports of a project. */
export async function listScannedTypes(db: Db, projectId: number): Promise<string[]> {
  const rows = await db.all<{ reportType: string }>(sql`
    select distinct s.report_type from scanners n join scans s on s.scanner_id = n.id
    where n.project_id = ${projectId} order by s.report_type`)
  return rows.map(({ reportType }) => reportType)
}
