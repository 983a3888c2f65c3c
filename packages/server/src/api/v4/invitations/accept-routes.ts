import Type, { type Static } from 'typebox'
import { acceptInvitation, createInvitedAccount } from '../../../domain/members/accept-invitation.ts'
import { type OpenInvitation, openInvitation } from '../../../domain/members/open-invitation.ts'
import { text } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { sessionCookies } from '../sessions/cookies.ts'
import { nullableString, timestamp } from '../views.ts'

const token = text({ description: 'Token from the invitation link: the part after #' })

const joinedView = Type.Object({
  kind: Type.String({ description: '`project` or `group`' }),
  name: Type.String(),
  full_path: Type.String(),
})

const openView = Type.Object({
  ...joinedView.properties,
  invite_email: Type.String(),
  access_level: Type.Integer(),
  expires_at: nullableString,
  link_expires_at: timestamp,
  created_by_name: Type.String(),
  may_create_account: Type.Boolean({ description: 'Whether the link may be used to create an account' }),
})

function viewJoined({ place: { project, group } }: OpenInvitation): Static<typeof joinedView> {
  return project
    ? { kind: 'project', name: project.name, full_path: project.fullPath }
    : { kind: 'group', name: group.name, full_path: group.fullPath }
}

function viewOpen(opened: OpenInvitation): Static<typeof openView> {
  const { invitation, mayCreateAccount } = opened
  return {
    ...viewJoined(opened),
    invite_email: invitation.email,
    access_level: invitation.accessLevel,
    expires_at: invitation.expiresOn,
    link_expires_at: invitation.linkExpiresAt,
    created_by_name: invitation.inviterName,
    may_create_account: mayCreateAccount,
  }
}

/** Routes for people who have received the link of an invitation. */
export const acceptInvitationRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/-/invitations/open',
    outside: true,
    summary: 'Get the invitation of a link',
    permission: 'invitation.open',
    limitsGuesses: true,
    input: Type.Object({ token }),
    status: 200,
    output: openView,
    handle: async ({ deps, input }) => viewOpen(await openInvitation(deps, input.token)),
  }),
  route({
    method: 'POST',
    path: '/-/invitations/accept',
    outside: true,
    summary: 'Accept an invitation: become a member with its role',
    permission: 'invitation.accept',
    limitsGuesses: true,
    input: Type.Object({ token }),
    status: 201,
    output: joinedView,
    handle: async ({ deps, caller, input }) => viewJoined(await acceptInvitation(deps, caller, input.token)),
  }),
  route({
    method: 'POST',
    path: '/-/invitations/account',
    outside: true,
    summary: 'Create an account with an invitation, become a member with its role, and sign in',
    permission: 'invitation.create-account',
    limitsGuesses: true,
    input: Type.Object({
      token,
      username: text(),
      name: text(),
      password: text({ description: '8 to 128 characters; must not be a common password or contain the user’s name' }),
    }),
    status: 201,
    output: joinedView,
    async handle({ deps, input, origin, client, headers }) {
      const { opened, session } = await createInvitedAccount(deps, input.token, input, client)
      headers['set-cookie'] = sessionCookies(session, origin)
      return viewJoined(opened)
    },
  }),
]
