import { roleName } from '../access/roles.ts'
import { type AuditedChanges, changesBetween } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import type { Invitation } from './invitation.ts'
import { entityOf, type MemberPlace } from './members.ts'

const messages = {
  created: 'Invited an e-mail address',
  updated: 'Changed an invitation',
  link_replaced: 'Created a new link for an invitation',
  destroyed: 'Revoked an invitation',
  accepted: 'Accepted an invitation',
} as const

/** Records what was done with an invitation, in the log of its project or group. Never has its link. */
export async function recordInvitationEvent(
  deps: Deps,
  done: keyof typeof messages,
  place: MemberPlace,
  { invitation, changes = {} }: { invitation: Invitation; changes?: AuditedChanges },
): Promise<void> {
  await recordAuditEvent(deps, `invitation_${done}`, {
    entity: entityOf(place),
    message: messages[done],
    target: { type: 'Invitation', id: invitation.id, name: invitation.email },
    changes,
    extra: { access_level: roleName(invitation.accessLevel), expires_at: invitation.expiresOn },
  })
}

/** Returns the changed role and expiry date. */
export function describeInvitationChange(before: Invitation, after: Invitation): AuditedChanges {
  const [from, to] = [before, after].map(({ accessLevel, expiresOn }) => ({ role: roleName(accessLevel), expiresOn }))
  return from && to ? changesBetween(from, to, { role: 'access_level', expiresOn: 'expires_at' }) : {}
}
