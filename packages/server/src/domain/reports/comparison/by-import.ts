import type { ImportKey } from '../../findings/imported-findings/import-key.ts'
import { pairImported } from '../../findings/imported-findings/pair-imported.ts'
import type { Candidate } from '../../findings/known-finding.ts'
import { groupBy } from '../../group-by.ts'
import type { ImportPlace } from './import-place.ts'
import { isObserved, type Matching, mayHaveMoved, type Pair } from './matching.ts'

/**
 * Pairs open findings with those that were imported from another product, so that its decisions apply. The scanner may
 * differ: the product named it in its own way. A candidate is given once for each of its keys.
 */
export function pairByImport(
  place: ImportPlace,
  matching: Matching,
  candidates: readonly (Candidate & ImportKey)[],
): Pair[] {
  const movable = candidates.filter((known) => !isObserved(matching, known.id) && mayHaveMoved(place, known, 1))
  const imported = [...groupBy(movable, ({ id }) => id).values()].flatMap((rows) => {
    const [known] = rows
    return known ? [{ known, line: known.line, keys: rows.map(({ rank, key }) => ({ rank, key })) }] : []
  })
  if (imported.length === 0) return []
  const reported = matching.open.flatMap((one) =>
    one.importKeys.length > 0 ? [{ one, line: one.line, keys: one.importKeys }] : [],
  )
  return pairImported(imported, reported).map(({ record, finding }) => ({
    reported: finding.one,
    known: record.known,
    reason: 'imported',
  }))
}
