import type { Caller } from '../access/callers.ts'
import { userEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import type { Deps } from '../deps.ts'

/** Records that a caller acts as another user, with the header `Sudo` or an impersonation token. */
export type RecordImpersonation = (deps: Deps, caller: Caller, address: string) => Promise<void> | undefined

const hourMs = 60 * 60 * 1000
/** More pairs within an hour are recorded again. */
const maxPairs = 10_000

/**
 * Returns a function that records the first request of each hour for a token and the user whom it acts as. Requests that only
 * read leave no other trace. Each process records its own first request.
 */
export function openImpersonations(): RecordImpersonation {
  let hour = 0
  const recorded = new Set<string>()

  // Returns no promise for most requests, because each await delays a request by a turn.
  return (deps, caller, address) =>
    caller.sudoBy || caller.token.kind === 'impersonation' ? record(deps, caller, address) : undefined

  async function record(deps: Deps, { user, token, sudoBy }: Caller, address: string): Promise<void> {
    const current = Math.floor(Date.parse(deps.now()) / hourMs)
    if (current !== hour || recorded.size >= maxPairs) recorded.clear()
    hour = current
    const pair = `${token.id} ${user.id}`
    if (recorded.has(pair)) return
    recorded.add(pair)
    try {
      await recordAuditEvent({ ...deps, actor: { user: sudoBy ?? user, token, address } }, 'user_impersonation', {
        entity: userEntity(user),
        message: sudoBy ? 'Acted as the user with sudo' : 'Acted as the user with an impersonation token',
      })
    } catch (error) {
      recorded.delete(pair)
      throw error
    }
  }
}
