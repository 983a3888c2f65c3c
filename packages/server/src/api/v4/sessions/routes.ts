import Type from 'typebox'
import { signOut } from '../../../domain/oidc/sign-out.ts'
import { dismissSignIns, findNewSignIns } from '../../../domain/sign-in/new-sign-ins.ts'
import { changeOwnPassword, redeemPasswordLink } from '../../../domain/sign-in/passwords/own-password.ts'
import { issuePasswordLink } from '../../../domain/sign-in/passwords/password-links.ts'
import { requestPasswordLink } from '../../../domain/sign-in/passwords/password-requests.ts'
import { confirmSession, enterAdminMode, leaveAdminMode } from '../../../domain/sign-in/reauthentication.ts'
import type { Session } from '../../../domain/sign-in/session.ts'
import { endOtherSessions, endSession, endSessionsOf, findSessions } from '../../../domain/sign-in/sessions.ts'
import { signIn, signInWithToken } from '../../../domain/sign-in/sign-in.ts'
import { signInWithLink } from '../../../domain/sign-in/sign-in-links.ts'
import { issueOwnToken } from '../../../domain/tokens/issued-tokens.ts'
import { tokenScopes } from '../../../domain/tokens/tokens.ts'
import { getUser } from '../../../domain/users/users.ts'
import { date, flag, freeForm, integer, listOf, optional, text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { issuedTokenView, newTokenInput, viewIssued } from '../tokens/views.ts'
import { nullableString, timestamp } from '../views.ts'
import { endedSessionCookie } from './cookies.ts'
import { isPending, signInView, viewSignIn } from './sign-in-view.ts'
import { newSignInView, sessionStateView, viewNewSignIn, viewSessionState } from './views.ts'

const sessionView = Type.Object({
  id: Type.Integer(),
  created_at: timestamp,
  last_used_at: nullableString,
  expires_at: timestamp,
  address: nullableString,
  user_agent: nullableString,
  current: Type.Boolean({ description: 'True for the session that sent this request' }),
})

function viewSession(session: Session, currentId: number | undefined) {
  return {
    id: session.id,
    created_at: session.createdAt,
    last_used_at: session.lastUsedAt,
    expires_at: session.expiresAt,
    address: session.address,
    user_agent: session.userAgent,
    current: session.id === currentId,
  }
}

const newPassword = {
  password: text({ description: '8 to 128 characters; must not be a common password or contain the user’s name' }),
  revoke_tokens: optional(flag({ description: 'Also revoke the user’s personal access tokens' })),
}

/** Routes for signing in and for managing sessions and passwords. A browser calls them with its cookie alone. */
export const sessionRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/-/sessions',
    outside: true,
    summary: 'Sign in with a browser session',
    permission: 'session.start',
    limitsGuesses: true,
    input: Type.Object(
      {
        login: optional(text({ description: 'Username or email address' })),
        password: optional(text()),
        token: optional(
          text({
            description: 'Access token, in place of login and password; limits the session to the token’s scopes',
          }),
        ),
        link: optional(
          text({ description: 'Token from a link of the command `alcove admin sign-in-link`: the part after #' }),
        ),
      },
      { exactlyOneOf: [['login', 'token', 'link']], allOrNone: [['login', 'password']] },
    ),
    status: 201,
    output: signInView,
    isUnfinished: isPending,
    async handle({ deps, input, origin, client, headers }) {
      const { login = '', password = '', token, link } = input
      const signedIn =
        link !== undefined
          ? await signInWithLink(deps, link, client)
          : token !== undefined
            ? await signInWithToken(deps, token, client)
            : await signIn(deps, login, password, client)
      return viewSignIn(signedIn, origin, headers)
    },
  }),
  route({
    method: 'GET',
    path: '/-/session',
    outside: true,
    summary: 'Get the current user, if signed in, and the server settings that the web UI needs',
    permission: 'session.show',
    status: 200,
    output: sessionStateView,
    handle: ({ deps, caller, origin }) => viewSessionState(deps, caller, origin),
  }),
  route({
    method: 'DELETE',
    path: '/-/sessions',
    outside: true,
    summary: 'Sign out; a browser then opens the returned URL, if any, to sign out at the identity provider as well',
    permission: 'session.leave',
    status: 200,
    output: Type.Object({ url: nullableString }),
    async handle({ deps, caller, origin, headers }) {
      headers['set-cookie'] = endedSessionCookie(origin)
      if (caller?.token.kind !== 'session') return { url: null }
      return { url: (await signOut(deps, caller, new URL('/-/sign_in', origin).href)) ?? null }
    },
  }),
  route({
    method: 'GET',
    path: '/-/sessions',
    outside: true,
    summary: 'List your browser sessions, newest first',
    permission: 'session.list',
    status: 200,
    output: Type.Array(sessionView),
    async handle({ deps, caller }) {
      const currentId = caller.token.kind === 'session' ? caller.token.id : undefined
      return (await findSessions(deps, caller)).map((session) => viewSession(session, currentId))
    },
  }),
  route({
    method: 'DELETE',
    path: '/-/sessions/:id',
    outside: true,
    summary: 'End one of your browser sessions',
    permission: 'session.end',
    input: Type.Object({ id: integer() }),
    status: 204,
    output: noOutput,
    handle: ({ deps, caller, input }) => endSession(deps, caller, input.id),
  }),
  route({
    method: 'DELETE',
    path: '/-/sessions/others',
    outside: true,
    summary: 'End all of your browser sessions except the one that sends this request',
    permission: 'session.end',
    status: 204,
    output: noOutput,
    handle: ({ deps, caller }) => endOtherSessions(deps, caller),
  }),
  route({
    method: 'GET',
    path: '/-/sign_ins',
    outside: true,
    summary: 'List your 20 newest sign-ins from new browsers, newest first',
    permission: 'session.list',
    status: 200,
    output: Type.Array(newSignInView),
    handle: async ({ deps, caller }) => (await findNewSignIns(deps, caller)).map(viewNewSignIn),
  }),
  route({
    method: 'POST',
    path: '/-/sign_ins/:id/dismiss',
    outside: true,
    summary: 'Dismiss the notices about sign-ins from new browsers, up to this one',
    permission: 'session.dismiss-notice',
    input: Type.Object({ id: integer() }),
    status: 204,
    output: noOutput,
    handle: ({ deps, caller, input }) => dismissSignIns(deps, caller, input.id),
  }),
  route({
    method: 'POST',
    path: '/-/sessions/confirm',
    outside: true,
    summary: 'Reauthenticate; required to manage tokens and sessions, valid for 15 minutes',
    permission: 'session.confirm',
    limitsGuesses: true,
    input: Type.Object(
      {
        password: optional(text()),
        token: optional(text({ description: 'For sessions that were started with an access token: the same token' })),
        passkey: optional(freeForm({ description: 'The browser’s response to `POST /-/passkeys/challenge`' })),
      },
      { exactlyOneOf: [['password', 'token', 'passkey']] },
    ),
    status: 204,
    output: noOutput,
    handle: ({ deps, caller, input, client, origin }) => confirmSession(deps, caller, input, { client, origin }),
  }),
  route({
    method: 'DELETE',
    path: '/users/:id/sessions',
    summary: 'End all browser sessions of a user',
    permission: 'user.manage',
    input: Type.Object({ id: integer() }),
    status: 204,
    output: noOutput,
    handle: ({ deps, caller, input }) => endSessionsOf(deps, caller, input.id),
  }),
  route({
    method: 'POST',
    path: '/-/sessions/admin_mode',
    outside: true,
    summary: 'Enter admin mode in this session for six hours',
    permission: 'session.elevate',
    limitsGuesses: true,
    audit: { event: 'admin_mode.entered' },
    input: Type.Object({
      password: optional(
        text({ description: 'Required unless the session was started with an identity provider or a link' }),
      ),
    }),
    status: 204,
    output: noOutput,
    handle: ({ deps, caller, input }) => enterAdminMode(deps, caller, input.password),
  }),
  route({
    method: 'DELETE',
    path: '/-/sessions/admin_mode',
    outside: true,
    summary: 'Leave admin mode in this session',
    permission: 'session.elevate',
    audit: { event: 'admin_mode.left' },
    status: 204,
    output: noOutput,
    handle: ({ deps, caller }) => leaveAdminMode(deps, caller),
  }),
  route({
    method: 'PUT',
    path: '/-/password',
    outside: true,
    summary: 'Change your password and end your other sessions',
    permission: 'password.change',
    limitsGuesses: true,
    input: Type.Object({ current_password: text(), ...newPassword }),
    status: 204,
    output: noOutput,
    handle: ({ deps, caller, input }) =>
      changeOwnPassword(deps, caller, input.current_password, {
        password: input.password,
        revokesTokens: input.revoke_tokens ?? false,
      }),
  }),
  route({
    method: 'POST',
    path: '/-/password',
    outside: true,
    summary: 'Set a password with a password link, and sign in',
    permission: 'password.set',
    limitsGuesses: true,
    input: Type.Object({
      token: text({ description: 'Token from the password link: the part after #' }),
      ...newPassword,
    }),
    status: 201,
    output: signInView,
    isUnfinished: isPending,
    async handle({ deps, input, origin, client, headers }) {
      const given = { password: input.password, revokesTokens: input.revoke_tokens ?? false }
      return viewSignIn(await redeemPasswordLink(deps, input.token, given, client), origin, headers)
    },
  }),
  route({
    method: 'POST',
    path: '/-/password_links',
    outside: true,
    summary: 'Request a link by e-mail that sets a forgotten password; the response is the same for unknown accounts',
    permission: 'password.request',
    limitsGuesses: true,
    input: Type.Object({ login: text({ description: 'Username or e-mail address' }) }),
    status: 202,
    output: Type.Object({ message: Type.String() }),
    async handle({ deps, input, client }) {
      await requestPasswordLink(deps, input.login, client)
      return { message: 'If an account with this username or e-mail address exists, a link was sent to its address.' }
    },
  }),
  route({
    method: 'POST',
    path: '/users/:id/password_links',
    summary: 'Create a link that lets a user set their password; single use, valid for 24 hours',
    permission: 'user.link',
    input: Type.Object({ id: integer() }),
    status: 201,
    output: Type.Object({ token: Type.String(), expires_at: timestamp }),
    async handle({ deps, caller, input }) {
      const user = await getUser(deps, input.id)
      const { secret, expiresAt } = await issuePasswordLink(deps, caller, user)
      return { token: secret, expires_at: expiresAt }
    },
  }),
  route({
    method: 'POST',
    path: '/-/personal_access_tokens',
    outside: true,
    summary: 'Create a personal access token for yourself from a browser session',
    permission: 'token.create-in-browser',
    input: Type.Object({
      ...newTokenInput,
      scopes: listOf(tokenScopes, { commaSeparated: true }),
      expires_at: optional(date({ description: 'At most 365 days from today. Default: 30 days from today' })),
    }),
    status: 201,
    output: issuedTokenView,
    audit: { event: 'token.created', fields: ['scopes', 'expires_at'] },
    async handle({ deps, caller, input }) {
      const { name, description, scopes, expires_at: expiresOn } = input
      return viewIssued(deps, await issueOwnToken(deps, caller, { name, description, scopes, expiresOn }))
    },
  }),
]
