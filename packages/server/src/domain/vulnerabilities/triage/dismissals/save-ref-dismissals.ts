import { conflict, parameterProblem } from '../../../../platform/failure.ts'
import type { Deps } from '../../../deps.ts'
import { refreshOccurrences } from '../../../findings/occurrences/occurrences.ts'
import type { Vulnerability } from '../../vulnerability.ts'
import { type Change, refOf } from '../change.ts'
import { listFindingIds, listPresentOn, replaceRefDismissals } from './ref-dismissal-queries.ts'

/** Stores changed dismissals on refs for filters, and the state of the occurrences there. */
export async function saveRefDismissals(
  { db }: Pick<Deps, 'db'>,
  changes: readonly { before: Vulnerability; after: Vulnerability }[],
): Promise<void> {
  const changed = changes.flatMap(({ before, after }) => (before.refDismissals === after.refDismissals ? [] : [after]))
  if (changed.length === 0) return
  await replaceRefDismissals(db, changed)
  const ids = changed.map(({ id }) => id)
  await refreshOccurrences(db, await listFindingIds(db, ids))
}

/** Returns the vulnerabilities that the change can concern: a dismissal on a ref only those that are present there. */
export async function listChangeable({ db }: Pick<Deps, 'db'>, change: Change, ids: readonly number[]) {
  const ref = refOf(change)
  return new Set(change.action === 'dismiss' && ref !== undefined ? await listPresentOn(db, ids, ref) : ids)
}

/** Throws when the vulnerability is not present on the ref on which it is to be dismissed. */
export async function assertPresent(deps: Pick<Deps, 'db'>, change: Change, id: number): Promise<void> {
  const found = await listChangeable(deps, change, [id])
  if (!found.has(id)) throw parameterProblem(`ref: the vulnerability is not present on ${refOf(change)}`)
}

/** Requests for approval concern one whole vulnerability. */
export const needsWholeApproval = () =>
  conflict(
    'dismissing this vulnerability needs approval, which can only be requested for all branches of its own project',
  )
