import { notFound } from '../../platform/failure.ts'
import type { Deps } from '../deps.ts'
import { findNamespaceById } from '../namespaces/namespaces.ts'
import { currentVisitor } from '../projects/current-rights.ts'
import { findProjectById } from '../projects/projects.ts'
import type { Visitor } from '../projects/visible.ts'
import { digestLink } from '../sign-in/link-digest.ts'
import type { Invitation } from './invitation.ts'
import { findInvitationByDigest } from './invitation-queries.ts'
import { type MemberPlace, mayManageMembers } from './members.ts'

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
  return examine(deps, await findInvitationByDigest(deps.db, digestLink(secret), deps.now()))
}

/** Returns a found invitation with its place. Rejects it when its inviter may not add members any more. */
export async function examine(deps: Deps, invitation: Invitation | undefined): Promise<OpenInvitation> {
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
