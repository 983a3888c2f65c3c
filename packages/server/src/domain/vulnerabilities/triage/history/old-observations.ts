import { countExpired, type ExpiredRows } from '../../../../db/expired-rows.ts'
import { type Deps, transaction } from '../../../deps.ts'
import { deleteObservations, oldObservations } from './old-observation-queries.ts'

const batchSize = 1000
const dayMs = 24 * 60 * 60 * 1000

/** Removes old observations by imports from the history of vulnerabilities. */
export async function removeOldObservations(deps: Deps): Promise<void> {
  const before = timeOf(deps)
  for (let more = before !== undefined; more && before; ) {
    more = await transaction(deps, async ({ db }) => {
      return (await deleteObservations(db, await oldObservations(db, before), batchSize)) === batchSize
    })
  }
}

export async function countOldObservations(deps: Deps): Promise<ExpiredRows | undefined> {
  const before = timeOf(deps)
  return before === undefined ? undefined : countExpired(deps.db, await oldObservations(deps.db, before))
}

function timeOf({ settings, now }: Deps): string | undefined {
  const days = settings.retentionDays.histories
  return days === 0 ? undefined : new Date(Date.parse(now()) - days * dayMs).toISOString()
}
