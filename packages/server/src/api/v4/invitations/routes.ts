import Type, { type Static } from 'typebox'
import { grantableLevels } from '../../../domain/access/roles.ts'
import type { Invitation, InvitationLink } from '../../../domain/members/invitation.ts'
import {
  changeInvitation,
  findInvitations,
  invite,
  resendInvitation,
  revokeInvitation,
} from '../../../domain/members/invitations.ts'
import { date, flag, nullable, oneOf, optional, text } from '../../../http/params/input.ts'
import { noOutput, perMinute, type Route } from '../../../http/route.ts'
import { placeOf } from '../members/place.ts'
import { route } from '../route.ts'
import { nullableString, timestamp } from '../views.ts'

const invitationView = Type.Object(
  {
    id: Type.Integer(),
    invite_email: Type.String(),
    access_level: Type.Integer(),
    created_at: timestamp,
    expires_at: nullableString,
    created_by_name: Type.String(),
    link_expires_at: timestamp,
  },
  { title: 'Invitation' },
)

const linkView = Type.Object({ token: Type.String(), expires_at: timestamp }, { title: 'InvitationLink' })

const resultView = Type.Object({
  status: Type.String(),
  message: Type.Optional(
    Type.Unsafe<Record<string, string> | string>({
      description: 'Errors by email address or username, or one error about the request',
    }),
  ),
  links: Type.Optional(
    Type.Record(Type.String(), linkView, { description: 'With `show_links`: the links of the new invitations' }),
  ),
})

const terms = {
  access_level: oneOf(grantableLevels),
  expires_at: optional(nullable(date({ description: 'Date on which the membership ends' }))),
}

const byEmail = { email: text({ description: 'Email address of the invitation' }) }

function viewInvitation(invitation: Invitation): Static<typeof invitationView> {
  return {
    id: invitation.id,
    invite_email: invitation.email,
    access_level: invitation.accessLevel,
    created_at: invitation.createdAt,
    expires_at: invitation.expiresOn,
    created_by_name: invitation.inviterName,
    link_expires_at: invitation.linkExpiresAt,
  }
}

function viewLink({ secret, expiresAt }: InvitationLink): Static<typeof linkView> {
  return { token: secret, expires_at: expiresAt }
}

/** Routes for the invitations of projects and of groups, which differ only in their path. */
export const invitationRoutes: readonly Route[] = (['project', 'group'] as const).flatMap((noun) => {
  const [list, manage] =
    noun === 'project'
      ? (['invitation.list', 'invitation.manage'] as const)
      : (['group.invitation.list', 'group.invitation.manage'] as const)
  const base = `/${noun}s/:id/invitations`
  return [...collectionRoutes(noun, base, { list, manage }), ...itemRoutes(noun, base, manage)]
})

type ListPermission = 'invitation.list' | 'group.invitation.list'
type ManagePermission = 'invitation.manage' | 'group.invitation.manage'

function collectionRoutes(
  noun: 'project' | 'group',
  path: string,
  { list, manage }: { list: ListPermission; manage: ManagePermission },
): Route[] {
  return [
    route({
      method: 'GET',
      path,
      summary: `List the pending invitations of a ${noun}`,
      permission: list,
      input: Type.Object({ query: optional(text({ description: 'Matches any part of the email address' })) }),
      status: 200,
      output: Type.Array(invitationView),
      paged: true,
      async handle(context) {
        const found = await findInvitations(context.deps, placeOf(context), context.input.query, context.page)
        return { ...found, rows: found.rows.map(viewInvitation) }
      },
    }),
    route({
      method: 'POST',
      path,
      rateLimit: perMinute(60),
      summary: `Invite one or more email addresses to a ${noun}; users with the address are added at once`,
      permission: manage,
      input: Type.Object({
        email: optional(text({ description: 'Email address, or several with commas' })),
        user_id: optional(text({ description: 'Id of a user, or several with commas' })),
        ...terms,
        show_links: optional(
          flag({ description: 'Return the links of the new invitations, which are shown only once' }),
        ),
      }),
      status: 201,
      output: resultView,
      audit: { event: 'invitation.created', fields: ['email', 'user_id', 'access_level', 'expires_at'] },
      async handle(context) {
        const { deps, caller, input } = context
        const { problems, links } = await invite(deps, caller, placeOf(context), {
          invited: { emails: listed(input.email), userIds: listed(input.user_id) },
          terms: { accessLevel: input.access_level, expiresOn: input.expires_at },
        })
        const isFailed = typeof problems === 'string' || Object.keys(problems).length > 0
        const shown = Object.entries(links).map(([email, link]) => [email, viewLink(link)] as const)
        return {
          status: isFailed ? 'error' : 'success',
          ...(isFailed && { message: problems }),
          ...(input.show_links && { links: Object.fromEntries(shown) }),
        }
      },
    }),
  ]
}

function itemRoutes(noun: 'project' | 'group', base: string, permission: ManagePermission): Route[] {
  return [
    route({
      method: 'PUT',
      path: `${base}/:email`,
      summary: `Update the role or expiry date of an invitation to a ${noun}`,
      permission,
      input: Type.Object({ ...byEmail, access_level: optional(oneOf(grantableLevels)), expires_at: terms.expires_at }),
      status: 200,
      output: invitationView,
      audit: { event: 'invitation.changed', fields: ['email', 'access_level', 'expires_at'] },
      async handle(context) {
        const { deps, caller, input } = context
        const terms = { accessLevel: input.access_level, expiresOn: input.expires_at }
        return viewInvitation(await changeInvitation(deps, caller, placeOf(context), { email: input.email, terms }))
      },
    }),
    route({
      method: 'DELETE',
      path: `${base}/:email`,
      summary: `Revoke an invitation to a ${noun}`,
      permission,
      input: Type.Object(byEmail),
      status: 204,
      output: noOutput,
      audit: { event: 'invitation.revoked', fields: ['email'] },
      handle: (context) => {
        const { deps, caller, input } = context
        return revokeInvitation(deps, caller, placeOf(context), input.email)
      },
    }),
    route({
      method: 'POST',
      path: `${base}/:email/resend`,
      rateLimit: perMinute(60),
      summary: `Create a new link for an invitation to a ${noun}; the former link stops working`,
      permission,
      input: Type.Object(byEmail),
      status: 201,
      output: linkView,
      audit: { event: 'invitation.resent', fields: ['email'] },
      async handle(context) {
        const { deps, caller, input } = context
        return viewLink(await resendInvitation(deps, caller, placeOf(context), input.email))
      },
    }),
  ]
}

/** Returns the distinct parts of a list with commas. */
function listed(text = ''): string[] {
  return [...new Set(text.split(',').map((part) => part.trim()))].filter((part) => part !== '')
}
