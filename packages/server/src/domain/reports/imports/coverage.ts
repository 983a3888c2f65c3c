import type { Db } from '../../../db/db.ts'
import type { ImportPlace } from '../comparison/classified.ts'
import type { Gap } from '../formats/gaps.ts'
import type { ReportHeader } from '../formats/report-format.ts'
import { findScannedFiles } from './coverage-queries.ts'

/**
 * Compares the number of scanned files with the last complete scan. A scan of what has changed since a baseline does not
 * say that it is one: it lists fewer files. With less than half of them it counts as partial, unless its sender says
 * otherwise. Returns the number that later scans are to be compared with.
 */
export async function compareCoverage(
  db: Db,
  place: ImportPlace,
  header: Pick<ReportHeader, 'format' | 'reportType'>,
  scannedFiles: number | undefined,
): Promise<{ gaps: Gap[]; scannedFiles: number | undefined }> {
  if (scannedFiles === undefined || place.isPartial === false) return { gaps: [], scannedFiles }
  const before = await findScannedFiles(db, place, header)
  if (place.isPartial) return { gaps: [], scannedFiles: before }
  if (before === undefined || scannedFiles * 2 >= before) return { gaps: [], scannedFiles }
  const reason = `${scannedFiles} files were scanned, and ${before} by the last complete scan; send partial=false if this scan is complete`
  return { gaps: [{ reason, pointer: '/paths/scanned', count: 1 }], scannedFiles: before }
}
