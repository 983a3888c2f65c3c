import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

/**
 * Returns true if the default branch or a vulnerability has a finding in a container image whose name has this prefix.
 */
export async function isKnownImage(
  db: Db,
  { projectId, defaultBranch }: { projectId: number; defaultBranch: string },
  start: string,
): Promise<boolean> {
  const images = await listTextsAround(db, projectId, start)
  for (const image of images) {
    const found = image.startsWith(start) && (await hasContainerFinding(db, { projectId, defaultBranch }, image))
    if (found) return true
  }
  return false
}

/** Maximum number of candidate image names that are checked. */
const maxImages = 1000

async function listTextsAround(db: Db, projectId: number, start: string): Promise<string[]> {
  const { contains, containsTerms } = db.dialect
  // The trigram index needs at least three characters.
  const has = [...start].length < 3 ? contains(sql`text`, start) : containsTerms('finding_texts', ['text'], [start])
  const rows = await db.all<{ text: string }>(sql`
    select text from finding_texts where project_id = ${projectId} and ${has} order by id limit ${maxImages}`)
  return rows.map(({ text }) => text)
}

async function hasContainerFinding(
  db: Db,
  { projectId, defaultBranch }: { projectId: number; defaultBranch: string },
  image: string,
): Promise<boolean> {
  const row = await db.one(sql`
    select f.id from findings f
    where f.project_id = ${projectId} and substr(f.location_path, 1, 500) = ${image}
      and f.report_type in ('container_scanning', 'container_scanning_for_registry')
      and (f.vulnerability_id is not null
        or exists (select 1 from occurrences o where o.finding_id = f.id and o.ref = ${defaultBranch}))
    limit 1`)
  return row !== undefined
}
