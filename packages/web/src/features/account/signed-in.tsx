import type { ReactNode } from 'react'
import { LinkButton } from '../../components/button.tsx'
import { useTitle } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { signInAddress } from '../../data/own-address.ts'
import { type SessionState, useSession } from '../../data/session.ts'

type User = NonNullable<SessionState['user']>

/** A page that is only for somebody who is signed in. */
export function SignedIn({ title, children }: { title: string; children: (user: User) => ReactNode }) {
  const { user } = useSession()
  return user ? children(user) : <SignInFirst title={title} />
}

function SignInFirst({ title }: { title: string }) {
  useTitle(title)
  return (
    <Empty title={title} isPage>
      <p>This is about your account. Sign in first.</p>
      <LinkButton kind="primary" to={signInAddress()}>
        Sign in
      </LinkButton>
    </Empty>
  )
}

const mostNamed = 3

/** What a browser cannot do that a token signed in. */
export function TokenNotice({ what }: { what: string }) {
  const { scopes } = useSession()
  const named = scopes.slice(0, mostNamed).join(', ')
  const others = scopes.length - mostNamed
  return (
    <p>
      This browser is signed in with an access token of the scope {named}
      {others > 0 && ` and ${others} more`}, so it may do what the token may. {what}
    </p>
  )
}
