import type { Caller } from '../access/callers.ts'
import { type Deps, transaction } from '../deps.ts'
import { failExportsOf } from '../exports/exports.ts'
import type { User } from '../users/user.ts'
import { banUser, blockUser, deactivateUser } from '../users/user-states.ts'
import { failPromotionsOf } from '../vulnerabilities/promotion/bulk-promotion.ts'
import { failScopeChangesOf } from '../vulnerabilities/scope-bulk/scope-change-job.ts'

/** Changes the state of a user. Returns the new state, or `undefined` when it is unchanged. */
type Change = (deps: Deps, caller: Caller, id: number) => Promise<User['state'] | undefined>

/**
 * Returns the change with everything that follows from it in one transaction: sessions end, tokens are refused from the
 * commit on, and the user's exports, promotions and changes of many projects that have not ended fail. An import checks its user when it begins and in
 * the transaction that makes it visible; so do issues of trackers.
 */
const withOpenWork =
  (change: Change) =>
  (deps: Deps, caller: Caller, id: number): Promise<void> =>
    transaction(deps, async (deps) => {
      const state = await change(deps, caller, id)
      if (state === undefined) return
      const reason = `The account of the user who requested it was ${state}.`
      await failExportsOf(deps, id, reason)
      await failPromotionsOf(deps, id, reason)
      await failScopeChangesOf(deps, id, reason)
    })

export const blockUserWithWork = withOpenWork(blockUser)
export const banUserWithWork = withOpenWork(banUser)
export const deactivateUserWithWork = withOpenWork(deactivateUser)
