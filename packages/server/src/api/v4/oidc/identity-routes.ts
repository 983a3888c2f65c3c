import Type from 'typebox'
import { findIdentities } from '../../../domain/oidc/identities.ts'
import type { Identity } from '../../../domain/oidc/identity.ts'
import { unlinkIdentities } from '../../../domain/oidc/unlink.ts'
import { integer, text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import type { OidcSettings } from '../../../platform/settings/oidc-settings.ts'
import { route } from '../route.ts'
import { nullableString, timestamp } from '../views.ts'

const identityView = Type.Object(
  {
    id: Type.Integer(),
    provider: Type.String(),
    provider_name: Type.String(),
    issuer: Type.String(),
    subject: Type.String(),
    created_at: timestamp,
    last_sign_in_at: timestamp,
    claims: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
      description: 'Claims of the last sign-in',
    }),
    outcome: Type.Array(
      Type.Object({
        step: Type.String({
          description:
            '`administrator`, `kept administrator`, `removed administrator`, `kept last administrator`, `member`, `kept`, `removed`, `without owner` or `unknown group`',
        }),
        group: nullableString,
        access_level: Type.Union([Type.Integer(), Type.Null()]),
      }),
      { description: 'What the mapping made of the claims at the last sign-in' },
    ),
  },
  { title: 'Identity' },
)

function viewIdentity({ providers }: OidcSettings, identity: Identity) {
  const { id, provider, issuer, subject, claims } = identity
  return {
    id,
    provider,
    provider_name: providers.find(({ key }) => key === provider)?.name ?? provider,
    issuer,
    subject,
    created_at: identity.createdAt,
    last_sign_in_at: identity.lastSignInAt,
    claims,
    outcome: (identity.outcome ?? []).map(({ step, group = null, accessLevel = null }) => ({
      step,
      group,
      access_level: accessLevel,
    })),
  }
}

export const identityRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/users/:id/identities',
    summary: 'List the accounts at identity providers that a user signs in with, and the last sign-in of each',
    permission: 'user.identity.read',
    input: Type.Object({ id: integer() }),
    status: 200,
    output: Type.Array(identityView),
    handle: async ({ deps, input }) =>
      (await findIdentities(deps, input.id)).map((identity) => viewIdentity(deps.settings.oidc, identity)),
  }),
  route({
    method: 'DELETE',
    path: '/users/:id/identities/:provider',
    summary:
      'Unlink the account of a user at an identity provider, with the rights that its mapping gave and its sessions',
    permission: 'user.identity.unlink',
    input: Type.Object({ id: integer(), provider: text() }),
    status: 204,
    output: noOutput,
    audit: { event: 'user.identity_unlinked', fields: ['id'] },
    handle: ({ deps, input }) => unlinkIdentities(deps, input.id, input.provider),
  }),
]
