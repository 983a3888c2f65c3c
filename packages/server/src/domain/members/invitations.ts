import { badRequest, conflict, Failure, notFound, parameterProblem } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { roles } from '../access/roles.ts'
import { type Deps, transaction } from '../deps.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import { digestLink } from '../sign-in/link-digest.ts'
import { userProblems } from '../users/user-draft.ts'
import { findUserByEmail, findUserById } from '../users/users.ts'
import { describeInvitationChange, recordInvitationEvent } from './audited-invitation.ts'
import type { Invitation, InvitationLink } from './invitation.ts'
import { queueInvitationMail } from './invitation-mail.ts'
import {
  countInvitations,
  deleteInvitation,
  deleteInvitationsBefore,
  type InvitationOwner,
  insertInvitation,
  type LinkDraft,
  listInvitations,
  lockInvitation,
  updateInvitation,
  updateInvitationLink,
} from './invitation-queries.ts'
import { memberProblem } from './member-problem.ts'
import { addMember, assertMayGrant, assertTerms, type MemberPlace, type MemberTerms } from './members.ts'

/** Number of days for which the link of an invitation is valid. */
const invitationDays = 7
/** Number of days for which an invitation is listed after its link has expired. */
const keptDays = 30
const maxInvited = 100
const dayMs = 24 * 60 * 60 * 1000

/** E-mail addresses and ids of users to invite. */
export interface Invited {
  emails: readonly string[]
  userIds: readonly string[]
}

/** Error messages by the address or username, or one message about the request, and the links of new invitations. */
export interface InviteResult {
  problems: Record<string, string> | string
  links: Record<string, InvitationLink>
}

/**
 * Invites addresses to a project or group, independently of each other. Users of this server become members at once,
 * as in GitLab.
 */
export async function invite(
  deps: Deps,
  caller: Caller,
  place: MemberPlace,
  { invited, terms }: { invited: Invited; terms: MemberTerms },
): Promise<InviteResult> {
  const { emails, userIds } = invited
  if (emails.length + userIds.length === 0) throw badRequest('Must provide either email or user_id as a parameter')
  if (emails.some((email) => !isAddress(email))) {
    throw parameterProblem('email contains an invalid email address')
  }
  await assertMayGrant(deps, caller, place, terms.accessLevel)
  if (emails.length + userIds.length > maxInvited) {
    return { problems: `Too many users specified (limit is ${maxInvited})`, links: {} }
  }
  const problems: Record<string, string> = {}
  const links: Record<string, InvitationLink> = {}
  for (const email of emails) {
    try {
      const link = await inviteAddress(deps, caller, place, { email, terms })
      if (link) links[email] = link
    } catch (error) {
      problems[email] = problemOf(error)
    }
  }
  for (const id of userIds) {
    const user = /^\d{1,15}$/.test(id) ? await findUserById(deps.db, Number(id)) : undefined
    try {
      await addMember(deps, caller, place, { candidate: user ? { id: user.id } : {}, terms })
    } catch (error) {
      problems[user?.username ?? id] = problemOf(error)
    }
  }
  return { problems, links }
}

function isAddress(email: string): boolean {
  return userProblems({ email })['email'] === undefined
}

function problemOf(error: unknown): string {
  const isLimit = error instanceof Failure && error.cause.kind === 'too-many-requests'
  if (isLimit && error.cause.sentence !== undefined) return error.cause.sentence
  const sentence = memberProblem(error)
  return sentence === 'Member already exists' ? 'User already exists in source' : sentence
}

/** Adds the user with this address, or creates an invitation and returns its link. */
function inviteAddress(
  deps: Deps,
  caller: Caller,
  place: MemberPlace,
  { email, terms }: { email: string; terms: MemberTerms },
): Promise<InvitationLink | undefined> {
  return transaction(deps, async (deps) => {
    const user = await findUserByEmail(deps.db, email)
    if (user) {
      await addMember(deps, caller, place, { candidate: { id: user.id }, terms })
      return undefined
    }
    await assertTerms(deps, place, 0, terms)
    const { secret, draft } = newLink(deps, caller)
    const { accessLevel, expiresOn = null } = terms
    const invitation = { email, accessLevel, expiresOn, ...draft, now: deps.now() }
    const inserted = await insertInvitation(deps.db, ownerOf(place), invitation)
    if (!inserted) throw conflict('Invite email has already been taken')
    await recordInvitationEvent(deps, 'created', place, { invitation: inserted })
    await queueInvitationMail(deps, caller, { address: email, digest: draft.digest })
    return { secret, expiresAt: draft.linkExpiresAt }
  })
}

export async function findInvitations(
  { db }: Deps,
  place: MemberPlace,
  search: string | undefined,
  page: PageRequest,
): Promise<Page<Invitation>> {
  const owner = ownerOf(place)
  const [rows, counted] = await Promise.all([
    listInvitations(db, owner, search, page),
    countInvitations(db, owner, search),
  ])
  return pageOf(page, rows, counted)
}

/** Changes the role or the expiry date of an invitation. */
export function changeInvitation(
  deps: Deps,
  caller: Caller,
  place: MemberPlace,
  { email, terms }: { email: string; terms: Pick<MemberTerms, 'expiresOn'> & { accessLevel: number | undefined } },
): Promise<Invitation> {
  return transaction(deps, async (deps) => {
    const found = await lockGrantable(deps, caller, place, email)
    if (terms.accessLevel === undefined && terms.expiresOn === undefined) throw badRequest()
    const changed = {
      accessLevel: terms.accessLevel ?? found.accessLevel,
      expiresOn: terms.expiresOn === undefined ? found.expiresOn : terms.expiresOn,
    }
    await assertMayGrant(deps, caller, place, changed.accessLevel)
    await assertTerms(deps, place, 0, changed)
    const answering = { invitedById: caller.user.id, asAdmin: caller.isAdmin }
    const updated = await updateInvitation(deps.db, found.id, { ...changed, ...answering })
    if (!updated) throw notFound()
    const changes = describeInvitationChange(found, updated)
    if (Object.keys(changes).length > 0) {
      await recordInvitationEvent(deps, 'updated', place, { invitation: updated, changes })
    }
    return updated
  })
}

/** Replaces the link of an invitation, so that the former one stops working, and sends the new one. */
export function resendInvitation(
  deps: Deps,
  caller: Caller,
  place: MemberPlace,
  email: string,
): Promise<InvitationLink> {
  return transaction(deps, async (deps) => {
    const found = await lockGrantable(deps, caller, place, email)
    await assertTerms(deps, place, 0, found)
    const { secret, draft } = newLink(deps, caller)
    await updateInvitationLink(deps.db, found.id, draft)
    await recordInvitationEvent(deps, 'link_replaced', place, { invitation: found })
    await queueInvitationMail(deps, caller, { address: found.email, digest: draft.digest })
    return { secret, expiresAt: draft.linkExpiresAt }
  })
}

export function revokeInvitation(deps: Deps, caller: Caller, place: MemberPlace, email: string): Promise<void> {
  return transaction(deps, async (deps) => {
    const found = await lockGrantable(deps, caller, place, email)
    await deleteInvitation(deps.db, found.id)
    await recordInvitationEvent(deps, 'destroyed', place, { invitation: found })
  })
}

/** Returns the invitation of an address. Rejects a caller who could not have created it. */
async function lockGrantable(deps: Deps, caller: Caller, place: MemberPlace, email: string): Promise<Invitation> {
  const found = await lockInvitation(deps.db, ownerOf(place), email)
  if (!found) throw notFound()
  if (found.accessLevel >= roles.owner) await assertMayGrant(deps, caller, place, found.accessLevel)
  return found
}

/** Deletes invitations whose links have expired long ago. */
export async function removeOldInvitations(deps: Deps): Promise<void> {
  await deleteInvitationsBefore(deps.db, new Date(Date.parse(deps.now()) - keptDays * dayMs).toISOString())
}

function newLink(deps: Deps, caller: Caller): { secret: string; draft: LinkDraft } {
  const secret = deps.random(32).toString('base64url')
  const linkExpiresAt = new Date(Date.parse(deps.now()) + invitationDays * dayMs).toISOString()
  const draft = { digest: digestLink(secret), linkExpiresAt, isLinkShown: !caller.isAdmin }
  return { secret, draft: { ...draft, invitedById: caller.user.id, asAdmin: caller.isAdmin } }
}

function ownerOf(place: MemberPlace): InvitationOwner {
  return place.project ? { projectId: place.project.id } : { namespaceId: place.group.id }
}
