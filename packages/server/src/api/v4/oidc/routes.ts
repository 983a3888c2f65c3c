import Type from 'typebox'
import { endSessionsByToken } from '../../../domain/oidc/backchannel-logout.ts'
import { flowMinutes } from '../../../domain/oidc/flows.ts'
import { beginSignIn, completeSignIn, getProvider, type Outcome } from '../../../domain/oidc/provider-sign-in.ts'
import { flag, optional, text } from '../../../http/params/input.ts'
import { setCookie } from '../../../http/pipeline/cookies.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { sessionCookies } from '../sessions/cookies.ts'

/** Routes for signing in with an identity provider, by OpenID Connect. */
export const oidcRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/-/oidc/:provider',
    outside: true,
    summary: 'Begin to sign in with an identity provider; open the returned URL in the same browser',
    permission: 'session.begin-with-provider',
    limitsGuesses: true,
    input: Type.Object({
      provider: text(),
      to: optional(text({ description: 'Path to open afterwards. Default: /' })),
      confirm: optional(flag({ description: 'Reauthenticate the current session instead of starting a new one' })),
    }),
    status: 201,
    output: Type.Object({ url: Type.String() }),
    async handle({ deps, caller, input, origin, client, headers }) {
      const { url, browser } = await beginSignIn(deps, caller, getProvider(deps, input.provider), {
        returnTo: input.to ?? '/',
        isConfirmation: input.confirm ?? false,
        browser: client.flow,
        redirectUri: redirectUri(origin, input.provider),
      })
      headers['set-cookie'] = setCookie('alcove_flow', browser, flowMinutes * 60, origin)
      return { url }
    },
  }),
  route({
    method: 'GET',
    path: '/-/oidc/:provider/callback',
    outside: true,
    summary: 'Complete a sign-in with an identity provider, which redirects browsers here',
    permission: 'session.complete-with-provider',
    limitsGuesses: true,
    input: Type.Object({
      provider: text(),
      code: optional(text()),
      state: optional(text()),
      iss: optional(text()),
      error: optional(text()),
    }),
    status: 303,
    output: noOutput,
    async handle({ deps, caller, input, origin, client, headers }) {
      const { provider: key, ...response } = input
      const outcome = await completeSignIn(deps, getProvider(deps, key), response, {
        caller,
        client,
        browser: client.flow,
        redirectUri: redirectUri(origin, key),
      })
      if (outcome.session) headers['set-cookie'] = sessionCookies(outcome.session, origin)
      headers['location'] = addressOf(key, outcome)
    },
  }),
  route({
    method: 'POST',
    path: '/-/oidc/:provider/backchannel_logout',
    outside: true,
    summary: 'End the sessions that an identity provider has ended (OpenID Connect Back-Channel Logout)',
    permission: 'session.end-by-provider',
    input: Type.Object({
      provider: text(),
      logout_token: optional(text({ description: 'JSON Web Token that the provider has signed' })),
    }),
    status: 200,
    output: noOutput,
    handle: ({ deps, input, client }) =>
      endSessionsByToken(deps, getProvider(deps, input.provider), input.logout_token ?? '', client),
  }),
]

function redirectUri(origin: string, key: string): string {
  // Without the default port of the scheme, as in the exchange of the code.
  return new URL(`${origin}/-/oidc/${key}/callback`).href
}

/** Returns the path that the browser opens next: the sign-in page after a problem. */
function addressOf(key: string, { returnTo, problem }: Outcome): string {
  if (problem === undefined) return returnTo
  return `/-/sign_in?${new URLSearchParams({ problem, provider: key, to: returnTo })}`
}
