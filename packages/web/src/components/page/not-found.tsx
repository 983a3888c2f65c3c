import { Ban } from 'lucide-react'
import { signInAddress } from '../../data/own-address.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import { LinkButton } from '../button.tsx'
import { useTitle } from './page.tsx'
import { Empty } from './states.tsx'

/** Replaces a page that the user may not see. */
export function NotForYou() {
  useTitle('Access denied')
  const session = useSession()
  const { user } = session
  return (
    <Empty icon={Ban} title="Access denied" isPage>
      <p>{!user ? 'Sign in to view this page.' : mayWrite(session) ? forRoles : forReaders}</p>
      {!user && <LinkButton to={signInAddress()}>Sign in</LinkButton>}
    </Empty>
  )
}

const forRoles = 'Your role does not allow you to view this page. Ask a maintainer for access.'
const forReaders = 'You signed in with a read-only token, or your role does not allow you to view this page.'

export function NotFound() {
  useTitle('Not found')
  return (
    <Empty title="Page not found" isPage>
      <p>The page does not exist or has been removed.</p>
      <LinkButton to="/">Go to home</LinkButton>
    </Empty>
  )
}
