import { countExpired, type ExpiredRows } from '../../../db/expired-rows.ts'
import { type Deps, transaction } from '../../deps.ts'
import { deleteImports, oldImports } from './old-import-queries.ts'

/** Deleting an import clears its id in the findings that it observed first, so few are deleted at once. */
const batchSize = 20
const dayMs = 24 * 60 * 60 * 1000

/** Removes the records of old imports. Findings and vulnerabilities stay. */
export async function removeOldImports(deps: Deps): Promise<void> {
  const before = timeOf(deps)
  for (let more = before !== undefined; more && before; ) {
    more = await transaction(deps, async ({ db }) => {
      return (await deleteImports(db, await oldImports(db, before), batchSize)) === batchSize
    })
  }
}

export async function countOldImports(deps: Deps): Promise<ExpiredRows | undefined> {
  const before = timeOf(deps)
  return before === undefined ? undefined : countExpired(deps.db, await oldImports(deps.db, before))
}

function timeOf({ settings, now }: Deps): string | undefined {
  const days = settings.retentionDays.imports
  return days === 0 ? undefined : new Date(Date.parse(now()) - days * dayMs).toISOString()
}
