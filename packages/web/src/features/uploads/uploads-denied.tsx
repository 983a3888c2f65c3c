import { LogIn } from 'lucide-react'
import { LinkButton } from '../../components/button.tsx'
import { NotForYou } from '../../components/page/not-found.tsx'
import { useTitle } from '../../components/page/page.tsx'
import { Empty } from '../../components/page/states.tsx'
import { signInAddress } from '../../data/own-address.ts'
import { useSession } from '../../data/session.ts'
import { texts } from './texts.ts'

/** Replaces the screens of uploads for users who may not upload. */
export function UploadsDenied({ title }: { title: string }) {
  return useSession().user ? <NotForYou /> : <SignInFirst title={title} />
}

function SignInFirst({ title }: { title: string }) {
  useTitle(title)
  return (
    <Empty icon={LogIn} title={texts.signInToUpload} isPage>
      <p>{texts.signedInUsersCan}</p>
      <LinkButton kind="primary" to={signInAddress()}>
        {texts.signIn}
      </LinkButton>
    </Empty>
  )
}
