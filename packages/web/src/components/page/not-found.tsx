import { Ban } from 'lucide-react'
import { signInAddress } from '../../data/own-address.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import { LinkButton } from '../button.tsx'
import { texts } from '../texts.ts'
import { useTitle } from './page.tsx'
import { Empty } from './states.tsx'

/** Replaces a page that the user may not see. */
export function NotForYou() {
  useTitle(texts.accessDenied)
  const session = useSession()
  const { user } = session
  return (
    <Empty icon={Ban} title={texts.accessDenied} isPage>
      <p>{!user ? texts.signInToView : mayWrite(session) ? forRoles : forReaders}</p>
      {!user && <LinkButton to={signInAddress()}>{texts.signIn}</LinkButton>}
    </Empty>
  )
}

const forRoles = texts.yourRoleDoesNotAllow
const forReaders = texts.youSignedInWithARead

export function NotFound() {
  useTitle(texts.notFound)
  return (
    <Empty title={texts.pageNotFound} isPage>
      <p>{texts.thePageDoesNotExist}</p>
      <LinkButton to="/">{texts.goToHome}</LinkButton>
    </Empty>
  )
}
