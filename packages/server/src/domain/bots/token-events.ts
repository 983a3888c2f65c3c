import type { Deps } from '../deps.ts'
import { type DescribedPlace, describePlace } from '../hooks/describe-place.ts'
import type { HookOwner } from '../hooks/hook.ts'
import type { AccessTokenEvent } from '../hooks/hook-event-body.ts'
import { recordEvents } from '../hooks/record.ts'
import { describeSamplePlace } from '../hooks/sample-place.ts'
import { sampleId } from '../hooks/sample-user.ts'
import type { AccessToken } from '../tokens/token.ts'

/** Fields of a token that events contain. */
export type AnnouncedToken = Pick<AccessToken, 'id' | 'userId' | 'name' | 'createdAt'> & { expiresOn: string | null }

export interface TokenPlace {
  kind: 'project' | 'group'
  id: number
}

/** Records a webhook event of an access token of a project or group, in the transaction of the change. */
export function recordTokenEvent(
  deps: Deps,
  place: TokenPlace,
  name: AccessTokenEvent['event_name'],
  token: AnnouncedToken,
): Promise<void> {
  return recordEvents(deps, place, name === 'expiring_access_token' ? 'expiring-token' : 'token', async () => {
    const described = await describePlace(deps, place)
    return described ? [{ body: describe(name, described, token) }] : []
  })
}

const sampleLifeMs = 7 * 24 * 60 * 60 * 1000

/** Returns the event of an invented access token for a test delivery. */
export async function sampleTokenEvent(
  deps: Deps,
  owner: HookOwner,
  name: AccessTokenEvent['event_name'],
): Promise<AccessTokenEvent> {
  const now = deps.now()
  return describe(name, await describeSamplePlace(deps, owner), {
    id: sampleId,
    userId: sampleId,
    name: 'Sample token',
    createdAt: now,
    expiresOn: new Date(Date.parse(now) + sampleLifeMs).toISOString().slice(0, 10),
  })
}

/** Builds the body of a `Resource Access Token Hook`. */
function describe(name: AccessTokenEvent['event_name'], place: DescribedPlace, token: AnnouncedToken) {
  return {
    object_kind: 'access_token' as const,
    ...place,
    object_attributes: {
      user_id: token.userId,
      created_at: token.createdAt,
      id: token.id,
      name: token.name,
      expires_at: token.expiresOn,
    },
    event_name: name,
  }
}
