import type { Deps } from '../deps.ts'
import { describePlace } from '../hooks/describe-place.ts'
import type { AccessTokenEvent } from '../hooks/hook-event-body.ts'
import { recordEvents } from '../hooks/record.ts'
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

/** Builds the body of a `Resource Access Token Hook`. */
function describe(name: AccessTokenEvent['event_name'], place: object, token: AnnouncedToken) {
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
