import Type from 'typebox'
import { issueOwnToken } from '../../domain/access/issued-tokens.ts'
import { changeOwnPassword, createPasswordLink, redeemPasswordLink } from '../../domain/access/own-password.ts'
import {
  endSession,
  enterAdminMode,
  findSessions,
  leaveAdminMode,
  type Session,
  sessionDays,
  signIn,
  signInWithToken,
} from '../../domain/access/sessions.ts'
import { tokenScopes } from '../../domain/access/tokens.ts'
import { getUser } from '../../domain/access/users.ts'
import { sessionCookie } from './credentials.ts'
import { date, integer, listOf, optional, text } from './input.ts'
import { noOutput, type Route, route } from './route.ts'
import { sessionStateView, viewSessionState } from './session-views.ts'
import { issuedTokenView, newTokenInput, viewIssued } from './token-views.ts'
import { basicUserView, viewBasicUser } from './user-views.ts'
import { nullableString, timestamp } from './views.ts'

/** Scripts cannot read the cookie, and other sites' forms do not send it. */
function setCookie(value: string, maxAgeSeconds: number, origin: string): string {
  const secure = origin.startsWith('https:') ? '; Secure' : ''
  return `${sessionCookie}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`
}

const sessionView = Type.Object({
  id: Type.Integer(),
  created_at: timestamp,
  last_used_at: nullableString,
  expires_at: timestamp,
  address: nullableString,
  user_agent: nullableString,
  current: Type.Boolean({ description: 'Whether this request was sent with it' }),
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

const newPassword = text({ description: '8 to 128 characters' })

/** Signing in, and what belongs to it. A browser uses these with its cookie alone. */
export const sessionRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/-/sessions',
    outside: true,
    summary: 'Sign a browser in',
    permission: 'session.start',
    input: Type.Object(
      {
        login: optional(text({ description: 'Username or e-mail address' })),
        password: optional(text()),
        token: optional(text({ description: 'In place of both: the browser may do what this token may' })),
      },
      { exactlyOneOf: [['login', 'token']], allOrNone: [['login', 'password']] },
    ),
    status: 201,
    output: basicUserView,
    async handle({ deps, input, origin, client, headers }) {
      const { login = '', password = '', token } = input
      const { user, secret } = await (token === undefined
        ? signIn(deps, login, password, client)
        : signInWithToken(deps, token, client))
      headers['set-cookie'] = setCookie(secret, sessionDays * 24 * 60 * 60, origin)
      return viewBasicUser(user, origin)
    },
  }),
  route({
    method: 'GET',
    path: '/-/session',
    outside: true,
    summary: 'Tell who is signed in, if anybody, and what the server lets people do',
    permission: 'session.show',
    status: 200,
    output: sessionStateView,
    handle: async ({ deps, caller, origin }) => viewSessionState(deps, caller, origin),
  }),
  route({
    method: 'DELETE',
    path: '/-/sessions',
    outside: true,
    summary: 'Sign the browser out',
    permission: 'session.leave',
    status: 204,
    output: noOutput,
    async handle({ deps, caller, origin, headers }) {
      if (caller?.token.kind === 'session') await endSession(deps, caller, caller.token.id)
      headers['set-cookie'] = setCookie('', 0, origin)
    },
  }),
  route({
    method: 'GET',
    path: '/-/sessions',
    outside: true,
    summary: 'List the browsers that you are signed in with, newest first',
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
    summary: 'Sign one of your browsers out',
    permission: 'session.end',
    input: Type.Object({ id: integer() }),
    status: 204,
    output: noOutput,
    handle: ({ deps, caller, input }) => endSession(deps, caller, input.id),
  }),
  route({
    method: 'POST',
    path: '/-/sessions/admin_mode',
    outside: true,
    summary: 'Give this browser the rights of its administrator for six hours, when admin mode is on',
    permission: 'session.elevate',
    input: Type.Object({ password: text() }),
    status: 204,
    output: noOutput,
    handle: ({ deps, caller, input }) => enterAdminMode(deps, caller, input.password),
  }),
  route({
    method: 'DELETE',
    path: '/-/sessions/admin_mode',
    outside: true,
    summary: 'Take them away again',
    permission: 'session.elevate',
    status: 204,
    output: noOutput,
    handle: ({ deps, caller }) => leaveAdminMode(deps, caller),
  }),
  route({
    method: 'PUT',
    path: '/-/password',
    outside: true,
    summary: 'Change your password; other browsers are signed out',
    permission: 'password.change',
    input: Type.Object({ current_password: text(), password: newPassword }),
    status: 204,
    output: noOutput,
    handle: ({ deps, caller, input }) => changeOwnPassword(deps, caller, input.current_password, input.password),
  }),
  route({
    method: 'POST',
    path: '/-/password',
    outside: true,
    summary: 'Set the password that a link was made for',
    permission: 'password.set',
    input: Type.Object({ token: text({ description: 'What the link holds' }), password: newPassword }),
    status: 204,
    output: noOutput,
    handle: ({ deps, input }) => redeemPasswordLink(deps, input.token, input.password),
  }),
  route({
    method: 'POST',
    path: '/users/:id/password_links',
    summary: 'Make a link by which a user sets his password, once and within a day',
    permission: 'user.manage',
    input: Type.Object({ id: integer() }),
    status: 201,
    output: Type.Object({ token: Type.String(), expires_at: timestamp }),
    async handle({ deps, input }) {
      const user = await getUser(deps, input.id)
      const { secret, expiresAt } = await createPasswordLink(deps, user.id)
      return { token: secret, expires_at: expiresAt }
    },
  }),
  route({
    method: 'POST',
    path: '/-/personal_access_tokens',
    outside: true,
    summary: 'Create a token for yourself; for signed-in browsers only',
    permission: 'token.create-in-browser',
    input: Type.Object({
      ...newTokenInput,
      scopes: listOf(tokenScopes, { commaSeparated: true }),
      expires_at: date({ description: 'At most 365 days ahead' }),
    }),
    status: 201,
    output: issuedTokenView,
    async handle({ deps, caller, input }) {
      const { name, description, scopes, expires_at: expiresOn } = input
      return viewIssued(deps, await issueOwnToken(deps, caller, { name, description, scopes, expiresOn }))
    },
  }),
]
