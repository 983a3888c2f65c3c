import type { Db } from '../../../../db/db.ts'
import type { ImportPlace } from '../../comparison/import-place.ts'
import type { Gap } from '../../formats/gaps.ts'
import type { ReportHeader } from '../../formats/report-format.ts'
import { findScannedFiles } from './coverage-queries.ts'

/**
 * Compares the number of scanned files with the last complete scan. A baseline scan covers only changed files, and its
 * report does not state that it is partial. So a scan of less than half as many files, or of an unknown number, counts
 * as partial, unless the sender sets `partial=false`. Returns the number that later scans are compared with.
 */
export async function compareCoverage(
  db: Db,
  place: ImportPlace,
  header: Pick<ReportHeader, 'format' | 'reportType'>,
  scannedFiles: number | null | undefined,
): Promise<{ gaps: Gap[]; scannedFiles: number | undefined }> {
  const stated = scannedFiles ?? undefined
  if (scannedFiles === undefined || place.isPartial === false) return { gaps: [], scannedFiles: stated }
  const before = await findScannedFiles(db, place, header)
  if (place.isPartial) return { gaps: [], scannedFiles: before }
  if (before === undefined || (stated ?? 0) * 2 >= before) return { gaps: [], scannedFiles: stated }
  const scanned = stated === undefined ? 'an unknown number of files was scanned' : `${stated} files were scanned`
  const reason = `${scanned}, and ${before} by the last complete scan; send partial=false if this scan is complete`
  return { gaps: [{ reason, pointer: '/paths/scanned', count: 1 }], scannedFiles: before }
}
