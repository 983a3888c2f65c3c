import { LinkButton } from '../../components/button.tsx'
import { useTitle } from '../../components/page/page.tsx'
import { Empty } from '../../components/page/states.tsx'
import { signInAddress } from '../../data/own-address.ts'
import { useSession } from '../../data/session.ts'

/** Replaces the pages of the account for anonymous users. */
export function SignInFirst({ title }: { title: string }) {
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
