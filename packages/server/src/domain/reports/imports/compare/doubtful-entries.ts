import type { Db } from '../../../../db/db.ts'
import type { KnownFinding } from '../../../findings/known-finding.ts'
import { isIn } from '../../../findings/occurrences/categories.ts'
import { findNewestObservation } from '../../../findings/occurrences/occurrences.ts'
import { groupBy } from '../../../group-by.ts'
import type { ImportPlace } from '../../comparison/import-place.ts'
import type { ImportedFinding } from '../../comparison/imported-finding.ts'
import type { Gaps } from '../../formats/gaps.ts'

/**
 * Adds a gap for every doubtful entry, since it may represent a known finding. A new doubtful entry may represent any
 * finding; a known one only a finding that no report has contained since the entry was first observed.
 */
export async function addDoubtfulEntries(
  db: Db,
  place: ImportPlace,
  pairs: readonly { finding: ImportedFinding; known: KnownFinding | undefined }[],
  gaps: Gaps,
): Promise<void> {
  const doubtful = pairs.filter(({ finding }) => finding.doubt !== undefined)
  const groups = groupBy(doubtful, ({ finding: { scanner, reportType, doubt }, known }) =>
    JSON.stringify([scanner.externalId, reportType, doubt, wasThere(place, known)]),
  )
  for (const group of groups.values()) {
    const [{ finding, known } = {}] = group
    if (!finding) continue
    const { scanner, reportType, doubt, pointer } = finding
    const ids = group.flatMap((one) => one.known?.id ?? [])
    const since = wasThere(place, known) ? await findNewestObservation(db, place.ref, ids) : undefined
    for (const _ of group) {
      gaps.add({ scanner: scanner.externalId, reportType, since }, `an entry cannot be read (${doubt})`, pointer)
    }
  }
}

const wasThere = ({ category }: ImportPlace, known: KnownFinding | undefined): boolean =>
  known?.wasPresent === true && (!category || isIn(category, known.categories))
