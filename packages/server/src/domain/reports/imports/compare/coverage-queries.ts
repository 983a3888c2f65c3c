import sql from 'sql-template-tag'
import type { Db } from '../../../../db/db.ts'
import type { ImportPlace } from '../../comparison/import-place.ts'
import type { ImportOutcome } from '../import.ts'

/** Returns the number of files that the last complete scan of the same kind scanned, if its report states it. */
export async function findScannedFiles(
  db: Db,
  { projectId, ref, category }: Pick<ImportPlace, 'projectId' | 'ref' | 'category'>,
  { format, reportType }: { format: string; reportType: string },
): Promise<number | undefined> {
  if (category && category.id === undefined) return undefined
  const row = await db.one<{ outcome: ImportOutcome | null }>(sql`
    select outcome from imports
    where project_id = ${projectId} and ref = ${ref} and format = ${format} and report_type = ${reportType}
      and shown_at is not null
      and coalesce(category, '') = coalesce((select name from report_categories where id = ${category?.id ?? null}), '')
    order by id desc limit 1`)
  return row?.outcome?.scannedFiles
}
