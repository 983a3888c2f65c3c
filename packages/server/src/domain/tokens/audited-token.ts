import { type AuditEventDraft, type Entity, userEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import type { User } from '../users/user.ts'
import type { AccessToken } from './token.ts'

type DescribedToken = Pick<AccessToken, 'id' | 'kind' | 'name' | 'scopes' | 'expiresOn'>

/** Returns the parts of an event about a token. The secret is not one of them. */
export function describeToken({
  id,
  name,
  scopes,
  expiresOn,
}: DescribedToken): Pick<AuditEventDraft, 'target' | 'extra'> {
  return { target: { type: 'PersonalAccessToken', id, name }, extra: { scopes, expires_at: expiresOn } }
}

const verbs = { issued: 'Created', revoked: 'Revoked', rotated: 'Rotated' } as const

/** Records what was done with a token of a user. */
export function recordTokenEvent(
  deps: Deps,
  user: Pick<User, 'id' | 'username'>,
  token: DescribedToken,
  done: keyof typeof verbs,
): Promise<void> {
  const kind = token.kind === 'impersonation' ? 'impersonation token' : 'personal access token'
  return recordTokenEventOf(deps, userEntity(user), token, { done, kind })
}

/** Records what was done with a token that belongs to an entity. */
export function recordTokenEventOf(
  deps: Deps,
  entity: Entity,
  token: DescribedToken,
  { done, kind }: { done: keyof typeof verbs; kind: string },
): Promise<void> {
  const draft = { entity, message: `${verbs[done]} ${kind} with id ${token.id}`, ...describeToken(token) }
  return recordAuditEvent(deps, `personal_access_token_${done}`, draft)
}
