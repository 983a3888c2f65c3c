import { LogIn } from 'lucide-react'
import { LinkButton } from '../../components/button.tsx'
import { useTitle } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'

export function SignInFirst({ title }: { title: string }) {
  useTitle(title)
  const here = location.pathname + location.search
  return (
    <Empty icon={LogIn} title="Sign in to upload files" isPage>
      <p>Whoever is signed in may upload here, and maintainers see the list.</p>
      <LinkButton kind="primary" to={`/-/sign_in?to=${encodeURIComponent(here)}`}>
        Sign in
      </LinkButton>
    </Empty>
  )
}
