import Type from 'typebox'
import type { NewSession, PendingSignIn } from '../../../domain/sign-in/sign-in.ts'
import { basicUserView, viewBasicUser } from '../users/views.ts'
import { timestamp } from '../views.ts'
import { sessionCookies } from './cookies.ts'

const pendingView = Type.Object(
  {
    challenge: Type.String({ description: 'Text to send with the second factor; valid once, for ten minutes' }),
    methods: Type.Array(Type.String(), { description: '`totp`, `passkey` or `recovery_code`' }),
    expires_at: timestamp,
  },
  { title: 'PendingSignIn' },
)

/** The signed-in user, or what the second step of the sign-in needs, with status 202. */
export const signInView = Type.Union([basicUserView, pendingView])

type SignInView = ReturnType<typeof viewBasicUser> | ReturnType<typeof viewPending>

export function isPending(view: object): boolean {
  return 'challenge' in view
}

/** Sets the cookies of a new session and returns its user, or returns what the second step needs. */
export function viewSignIn(
  signedIn: NewSession | PendingSignIn,
  origin: string,
  headers: Record<string, string | string[]>,
): SignInView {
  if ('challenge' in signedIn) return viewPending(signedIn)
  headers['set-cookie'] = sessionCookies(signedIn, origin)
  return viewBasicUser(signedIn.user, origin)
}

function viewPending({ challenge, methods, expiresAt }: PendingSignIn) {
  return { challenge, methods, expires_at: expiresAt }
}
