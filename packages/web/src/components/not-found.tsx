import { Ban } from 'lucide-react'
import { signInAddress } from '../data/own-address.ts'
import { mayWrite, useSession } from '../data/session.ts'
import { LinkButton } from './button.tsx'
import { useTitle } from './page.tsx'
import { Empty } from './states.tsx'

/** What is there, but not for whoever asks. */
export function NotForYou() {
  useTitle('Not for you')
  const session = useSession()
  const { user } = session
  return (
    <Empty icon={Ban} title="Not for you" isPage>
      <p>{!user ? 'You may have to sign in for this.' : mayWrite(session) ? forRoles : forReaders}</p>
      {!user && <LinkButton to={signInAddress()}>Sign in</LinkButton>}
    </Empty>
  )
}

const forRoles = 'Your role here does not let you see this. Ask somebody who may.'
const forReaders =
  'This browser is signed in with a token that only reads, or your role here does not let you see this.'

export function NotFound() {
  useTitle('Not found')
  return (
    <Empty title="There is no such page" isPage>
      <p>The address may have a mistake in it, or what it named is gone.</p>
      <LinkButton to="/">Go to the start page</LinkButton>
    </Empty>
  )
}
