import Type from 'typebox'
import { endSession, sessionDays, signIn } from '../../domain/access/sessions.ts'
import { sessionCookie } from './credentials.ts'
import { text } from './input.ts'
import { noOutput, type Route, route } from './route.ts'
import { basicUserView, viewBasicUser } from './user-views.ts'

/** Scripts cannot read the cookie, and other sites' forms do not send it. */
function setCookie(value: string, maxAgeSeconds: number, origin: string): string {
  const secure = origin.startsWith('https:') ? '; Secure' : ''
  return `${sessionCookie}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`
}

export const sessionRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/-/sessions',
    outside: true,
    summary: 'Sign a browser in',
    permission: 'session.start',
    input: Type.Object({ login: text({ description: 'Username or e-mail address' }), password: text() }),
    status: 201,
    output: basicUserView,
    async handle({ deps, input, origin, headers }) {
      const { user, secret } = await signIn(deps, input.login, input.password)
      headers['set-cookie'] = setCookie(secret, sessionDays * 24 * 60 * 60, origin)
      return viewBasicUser(user, origin)
    },
  }),
  route({
    method: 'DELETE',
    path: '/-/sessions',
    outside: true,
    summary: 'Sign the browser out',
    permission: 'session.end',
    status: 204,
    output: noOutput,
    async handle({ deps, caller, origin, headers }) {
      await endSession(deps, caller)
      headers['set-cookie'] = setCookie('', 0, origin)
    },
  }),
]
