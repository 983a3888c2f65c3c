import Type from 'typebox'
import { beginPasskeySignIn, completeSignIn, signInWithPasskey } from '../../../domain/sign-in/second-step.ts'
import { freeForm, optional, text } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { basicUserView, viewBasicUser } from '../users/views.ts'
import { sessionCookies } from './cookies.ts'

const credential = freeForm({ description: 'The browser’s response to `POST /-/passkeys/challenge`' })

/** Routes for the second step of a sign-in, and for a sign-in with a passkey in place of both steps. */
export const secondStepRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/-/sessions/second_factor',
    outside: true,
    summary: 'Complete a sign-in with a second factor',
    permission: 'session.start',
    limitsGuesses: true,
    input: Type.Object(
      {
        challenge: text({ description: 'The `challenge` that the sign-in has returned' }),
        code: optional(text({ description: 'Code of an authenticator app, or a recovery code' })),
        passkey: optional(credential),
      },
      { exactlyOneOf: [['code', 'passkey']] },
    ),
    status: 201,
    output: basicUserView,
    async handle({ deps, input, origin, client, headers }) {
      const session = await completeSignIn(deps, input, client, origin)
      headers['set-cookie'] = sessionCookies(session, origin)
      return viewBasicUser(session.user, origin)
    },
  }),
  route({
    method: 'POST',
    path: '/-/passkeys/challenge',
    outside: true,
    summary: 'Get the options with which a browser uses a passkey',
    permission: 'session.start',
    limitsGuesses: true,
    input: Type.Object({
      challenge: optional(text({ description: 'The `challenge` of a sign-in, for its second step' })),
    }),
    status: 201,
    output: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
    handle: ({ deps, input, origin }) => beginPasskeySignIn(deps, input.challenge, origin),
  }),
  route({
    method: 'POST',
    path: '/-/sessions/passkey',
    outside: true,
    summary: 'Sign in with a passkey, without a username and a password',
    permission: 'session.start',
    limitsGuesses: true,
    input: Type.Object({ credential }),
    status: 201,
    output: basicUserView,
    async handle({ deps, input, origin, client, headers }) {
      const session = await signInWithPasskey(deps, input.credential, client, origin)
      headers['set-cookie'] = sessionCookies(session, origin)
      return viewBasicUser(session.user, origin)
    },
  }),
]
