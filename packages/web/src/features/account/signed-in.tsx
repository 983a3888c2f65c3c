import { LinkButton } from '../../components/button.tsx'
import { fill } from '../../components/fill.tsx'
import { useTitle } from '../../components/page/page.tsx'
import { Empty } from '../../components/page/states.tsx'
import { signInAddress } from '../../data/own-address.ts'
import { useSession } from '../../data/session.ts'
import { texts } from './texts.ts'

/** Replaces the pages of the account for anonymous users. */
export function SignInFirst({ title }: { title: string }) {
  useTitle(title)
  return (
    <Empty title={title} isPage>
      <p>{texts.signInToView}</p>
      <LinkButton kind="primary" to={signInAddress()}>
        {texts.signIn}
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
  return <p>{fill(texts.youSignedInWithAnAccess, { named, others: others > 0 && texts.andMore(others), what })}</p>
}
