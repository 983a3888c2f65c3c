import { reportRejected } from '../../../platform/failure.ts'
import type { Deps } from '../../deps.ts'
import { listScansOfImports } from '../../findings/occurrences/occurrences.ts'
import type { ImportPlace } from '../comparison/import-place.ts'
import { isOfAnother } from '../formats/identity/artifacts.ts'
import type { Comparison } from './compare/compare-report.ts'

/**
 * Rejects a report that covers the findings of an earlier report of the same run: it would make them absent, and a gate
 * would pass without them. This does not depend on which findings the two reports have, so it is noticed with the first
 * run.
 */
export async function assertOwnScope(
  { db }: Deps,
  place: ImportPlace,
  { scans, artifact }: Pick<Comparison, 'scans' | 'artifact'>,
  sameRun: readonly number[] = [],
): Promise<void> {
  if (sameRun.length === 0 || place.isPartial) return
  const covered = new Set(scans.map(keyOf))
  const earlier = await listScansOfImports(db, place, sameRun)
  const covers = (scan: (typeof earlier)[number]) =>
    covered.has(keyOf(scan)) &&
    (place.category === undefined ? !isOfAnother(artifact, scan.artifact) : scan.categoryId === place.category.id)
  const other = earlier.find(covers)
  if (!other) return
  const message =
    `This report covers the findings of import ${other.importId}, which belongs to the same run, and would make them ` +
    `absent: both are of the scanner ${other.scannerName} and the type ${other.reportType}. ` +
    'Send each of them with a `category` of its own, the same one in every run.'
  throw reportRejected([{ type: 'SameScope', message, pointer: '' }])
}

const keyOf = ({ scannerId, reportType }: { scannerId: number; reportType: string }) => `${scannerId} ${reportType}`
