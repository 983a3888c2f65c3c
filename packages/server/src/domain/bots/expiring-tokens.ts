import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { dayAfter } from '../tokens/issue.ts'
import { type ExpiringToken, insertExpiryNotice, listExpiringTokens } from './expiry-notice-queries.ts'
import { recordTokenEvent, type TokenPlace } from './token-events.ts'

/** Numbers of days before the expiry at which a notice is sent, in ascending order. */
const noticeDays = [7, 30, 60] as const
const longestNotice = 60
const batchSize = 100
const dayMs = 24 * 60 * 60 * 1000

/** Sends webhook events for access tokens of projects and groups that expire soon, once per token and interval. */
export async function notifyExpiringTokens(deps: RootDeps): Promise<void> {
  const range = { today: deps.now().slice(0, 10), until: dayAfter(deps, longestNotice) }
  for (let afterId = 0; ; ) {
    const tokens = await listExpiringTokens(deps.db, range, afterId, batchSize)
    for (const token of tokens) await notifyOnce(deps, token)
    const last = tokens.at(-1)
    if (!last || tokens.length < batchSize) return
    afterId = last.id
  }
}

function notifyOnce(deps: Deps, token: ExpiringToken): Promise<void> {
  const daysLeft = (Date.parse(token.expiresOn) - Date.parse(deps.now().slice(0, 10))) / dayMs
  const interval = noticeDays.find((days) => daysLeft <= days) ?? longestNotice
  return transaction(deps, async (deps) => {
    if (!(await insertExpiryNotice(deps.db, token.id, interval, deps.now()))) return
    await recordTokenEvent(deps, placeOf(token), 'expiring_access_token', token)
  })
}

/** Exactly one of the two ids is set. */
function placeOf({ projectId, namespaceId }: ExpiringToken): TokenPlace {
  return projectId === null ? { kind: 'group', id: namespaceId ?? 0 } : { kind: 'project', id: projectId }
}
