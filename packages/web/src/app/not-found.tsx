import { Ban } from 'lucide-react'
import { LinkButton } from '../components/button.tsx'
import { useTitle } from '../components/page.tsx'
import { Empty } from '../components/states.tsx'
import { signInAddress } from './own-address.ts'
import { useSession } from './session.ts'

/** What is there, but not for whoever asks. */
export function NotForYou() {
  useTitle('Not for you')
  const { user } = useSession()
  return (
    <Empty icon={Ban} title="Not for you" isPage>
      <p>
        {user ? 'Your role here does not let you see this. Ask somebody who may.' : 'You may have to sign in for this.'}
      </p>
      {!user && <LinkButton to={signInAddress()}>Sign in</LinkButton>}
    </Empty>
  )
}

export function NotFound() {
  useTitle('Not found')
  return (
    <Empty title="There is no such page" isPage>
      <p>The address may have a mistake in it, or what it named is gone.</p>
      <LinkButton to="/">Go to the start page</LinkButton>
    </Empty>
  )
}
