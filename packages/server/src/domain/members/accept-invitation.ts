import { forbidden, notFound } from '../../platform/failure.ts'
import type { Caller, Client } from '../access/callers.ts'
import { networkOf } from '../access/client-network.ts'
import { type Deps, transaction } from '../deps.ts'
import { findNamespaceById } from '../namespaces/namespaces.ts'
import { createAccountWith } from '../projects/accounts.ts'
import { currentVisitor } from '../projects/current-rights.ts'
import { findProjectById } from '../projects/projects.ts'
import type { Visitor } from '../projects/visible.ts'
import { logSecurity } from '../sign-in/security-log.ts'
import { type NewSession, startSession } from '../sign-in/sign-in.ts'
import type { User } from '../users/user.ts'
import { recordInvitationEvent } from './audited-invitation.ts'
import type { Invitation } from './invitation.ts'
import { findInvitationByDigest, takeInvitation } from './invitation-queries.ts'
import { digestInvitation } from './invitations.ts'
import { addMember, type MemberPlace, mayManageMembers } from './members.ts'

/** Invitation with a valid link. */
export interface OpenInvitation {
  invitation: Invitation
  place: MemberPlace
  inviter: Visitor
  /** Whether the link may be used to create an account with the address of the invitation. */
  mayCreateAccount: boolean
}

/** Returns the invitation of a link. Rejects links that are unknown, used, revoked or expired. */
export async function openInvitation(deps: Deps, secret: string): Promise<OpenInvitation> {
  return examine(deps, await findInvitationByDigest(deps.db, digestInvitation(secret), deps.now()))
}

async function examine(deps: Deps, invitation: Invitation | undefined): Promise<OpenInvitation> {
  const place = invitation && (await placeOf(deps, invitation))
  if (!place) throw notFound('Invitation')
  // An invitation does not outlive the right of its inviter to add members.
  const inviter = await currentVisitor(deps, { userId: invitation.invitedById, asAdmin: invitation.asAdmin })
  if (!inviter || !(await mayManageMembers(deps, place, inviter))) throw notFound('Invitation')
  return { invitation, place, inviter, mayCreateAccount: mayCreateAccount(deps, invitation, inviter) }
}

async function placeOf(deps: Deps, { projectId, namespaceId }: Invitation): Promise<MemberPlace | undefined> {
  const project = projectId === null ? undefined : await findProjectById(deps.db, projectId)
  if (project) return { project }
  const group = namespaceId === null ? undefined : await findNamespaceById(deps.db, namespaceId)
  return group && { group }
}

function mayCreateAccount({ settings }: Deps, { isLinkShown }: Invitation, inviter: Visitor): boolean {
  // A new account signs in with a password.
  if (!settings.hasPasswords) return false
  return settings.invitedAccounts === 'administrators' && inviter.isAdmin && !isLinkShown
}

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
  const opened = await examine(deps, await takeInvitation(deps.db, digestInvitation(secret), deps.now()))
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
