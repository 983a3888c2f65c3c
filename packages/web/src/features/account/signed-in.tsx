import type { ReactNode } from 'react'
import { LinkButton } from '../../components/button.tsx'
import { useTitle } from '../../components/page/page.tsx'
import { Empty } from '../../components/page/states.tsx'
import { signInAddress } from '../../data/own-address.ts'
import { type SessionState, useSession } from '../../data/session.ts'

type User = NonNullable<SessionState['user']>

/** Page that requires sign-in. */
export function SignedIn({ title, children }: { title: string; children: (user: User) => ReactNode }) {
  const { user } = useSession()
  return user ? children(user) : <SignInFirst title={title} />
}

function SignInFirst({ title }: { title: string }) {
  useTitle(title)
  return (
    <Empty title={title} isPage>
      <p>Sign in to view your account.</p>
      <LinkButton kind="primary" to={signInAddress()}>
        Sign in
      </LinkButton>
    </Empty>
  )
}

const maxNamed = 3

/** Notice about the limits of a session that was started with a token. */
export function TokenNotice({ what }: { what: string }) {
  const { scopes } = useSession()
  const named = scopes.slice(0, maxNamed).join(', ')
  const others = scopes.length - maxNamed
  return (
    <p>
      You signed in with an access token with the scope {named}
      {others > 0 && ` and ${others} more`}. This session has the permissions of the token. {what}
    </p>
  )
}
