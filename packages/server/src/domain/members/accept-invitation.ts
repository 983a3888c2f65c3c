import { forbidden, notFound } from '../../platform/failure.ts'
import type { Caller, Client } from '../access/callers.ts'
import { networkOf } from '../access/client-network.ts'
import { type Deps, transaction } from '../deps.ts'
import { createAccountWith } from '../projects/accounts.ts'
import { digestLink } from '../sign-in/link-digest.ts'
import { logSecurity } from '../sign-in/security-log.ts'
import { type NewSession, startSession } from '../sign-in/sign-in.ts'
import type { User } from '../users/user.ts'
import { recordInvitationEvent } from './audited-invitation.ts'
import { takeInvitation } from './invitation-queries.ts'
import { addMember } from './members.ts'
import { examine, type OpenInvitation, openInvitation } from './open-invitation.ts'

/** Makes the caller a member with the role of the invitation, and deletes the invitation. */
export async function acceptInvitation(deps: Deps, caller: Caller, secret: string): Promise<OpenInvitation> {
  const opened = await transaction(deps, (deps) => join(deps, secret, caller.user))
  logAccepted(deps, opened, caller.user)
  return opened
}

/** Account that a person creates with an invitation, in addition to its e-mail address. */
export interface InvitedAccount {
  username: string
  name: string
  password: string
}

/** Creates an account with the address of the invitation, makes it a member and starts a session. */
export async function createInvitedAccount(
  deps: Deps,
  secret: string,
  account: InvitedAccount,
  client: Client,
): Promise<{ opened: OpenInvitation; session: NewSession }> {
  const { invitation, inviter, mayCreateAccount: isAllowed } = await openInvitation(deps, secret)
  if (!isAllowed) throw forbidden('This invitation cannot create an account. Sign in, or ask an administrator.')
  const draft = { ...account, email: invitation.email }
  const party = networkOf(client.address)
  const created = await createAccountWith(deps, draft, { createdBy: inviter.user, party }, async (deps, user) => {
    const opened = await join(deps, secret, user)
    if (!opened.mayCreateAccount) throw notFound('Invitation')
    return { opened, session: await startSession(deps, user, client, { method: 'password' }) }
  })
  logSecurity(deps, 'user.created', { user: created.session.user, by: inviter.user, address: client.address })
  logAccepted(deps, created.opened, created.session.user)
  return created
}

async function join(deps: Deps, secret: string, user: User): Promise<OpenInvitation> {
  const opened = await examine(deps, await takeInvitation(deps.db, digestLink(secret), deps.now()))
  const { invitation, place, inviter } = opened
  const { accessLevel, expiresOn } = invitation
  // The creator of an account is anonymous until now.
  const acting = deps.actor ? { ...deps, actor: { ...deps.actor, user } } : deps
  await recordInvitationEvent(acting, 'accepted', place, { invitation })
  await addMember(acting, inviter, place, { candidate: { id: user.id }, terms: { accessLevel, expiresOn } })
  return opened
}

function logAccepted(deps: Deps, { inviter }: OpenInvitation, user: User): void {
  logSecurity(deps, 'invitation.accepted', { user, by: inviter.user })
}
