import type { Candidate } from '../../findings/known-finding.ts'
import type { Pair } from './matching.ts'
import type { ReportedFinding } from './reported-finding.ts'

/**
 * Pairs findings with known ones that have one of their former uuids. An identifier may match across scanners; a
 * location alone matches within one scanner.
 */
export function pairByFormerUuid(reported: readonly ReportedFinding[], candidates: readonly Candidate[]): Pair[] {
  const byUuid = new Map(candidates.map((known) => [known.uuid, known]))
  return reported.flatMap((one) =>
    one.former.flatMap(({ uuid, reason }) => {
      const known = byUuid.get(uuid)
      return known && (reason === 'identifier' || known.scannerId === one.scannerId)
        ? [{ reported: one, known, reason }]
        : []
    }),
  )
}
