import type { Db } from '../../../db/db.ts'
import { isIn } from '../../findings/categories.ts'
import type { KnownFinding } from '../../findings/known-finding.ts'
import { findNewestObservation } from '../../findings/occurrences.ts'
import { groupBy } from '../../group-by.ts'
import type { Gaps } from '../formats/gaps.ts'
import type { ImportPlace } from './classified.ts'
import type { ImportedFinding } from './imported-finding.ts'

/**
 * Adds a gap for every doubtful entry, since it may represent a known finding. A new doubtful entry may represent any
 * finding; a known one only a finding that no report has contained since the entry was first observed.
 */
export async function noteDoubts(
  db: Db,
  place: ImportPlace,
  pairs: readonly { finding: ImportedFinding; match: KnownFinding | undefined }[],
  doubts: Gaps,
): Promise<void> {
  const doubtful = pairs.filter(({ finding }) => finding.doubt !== undefined)
  const groups = groupBy(doubtful, ({ finding: { scanner, reportType, doubt }, match }) =>
    JSON.stringify([scanner.externalId, reportType, doubt, wasThere(place, match)]),
  )
  for (const group of groups.values()) {
    const [{ finding, match } = {}] = group
    if (!finding) continue
    const { scanner, reportType, doubt, pointer } = finding
    const ids = group.flatMap((one) => one.match?.id ?? [])
    const since = wasThere(place, match) ? await findNewestObservation(db, place.ref, ids) : undefined
    for (const _ of group) {
      doubts.add({ scanner: scanner.externalId, reportType, since }, `an entry cannot be read (${doubt})`, pointer)
    }
  }
}

const wasThere = ({ category }: ImportPlace, match: KnownFinding | undefined): boolean =>
  match?.wasPresent === true && (!category || isIn(category, match.categories))
