import { Badge } from '../../components/badge.tsx'
import { texts } from './texts.ts'

/** Days after which the last scan is too old for a grade; the same as for scanners in the dashboard. */
const staleDays = 14
const dayMs = 24 * 60 * 60 * 1000

/** Returns true when the last scan is too old to say anything about the present. */
export function isStale(lastScanAt: string | null | undefined): boolean {
  return typeof lastScanAt === 'string' && Date.now() - Date.parse(lastScanAt) > staleDays * dayMs
}

/** Grade of a project, or the reason why it has none. */
export function Grade({
  grade,
  lastScanAt,
  waiting,
}: {
  grade: string | null
  lastScanAt: string | null
  /** Number of findings that await promotion. */
  waiting: number
}) {
  if (lastScanAt === null) return <Badge>{texts.notScanned}</Badge>
  if (isStale(lastScanAt)) return <Badge tone="warning">{texts.stale}</Badge>
  if (grade === null && waiting > 0) return <Badge>{texts.needsTriage}</Badge>
  return <strong>{grade ?? '–'}</strong>
}
