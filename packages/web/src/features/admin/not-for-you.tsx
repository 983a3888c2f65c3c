import { Lock } from 'lucide-react'
import { useLocation } from 'wouter'
import type { SessionState } from '../../app/session.ts'
import { LinkButton } from '../../components/button.tsx'
import { useTitle } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'

/** In place of the pages for administrators: why they are not shown, and what to do about it. */
export function NotForYou({ session }: { session: SessionState }) {
  const [path] = useLocation()
  const back = `?to=${encodeURIComponent(path)}`
  useTitle('Administration')
  if (!session.user) {
    return (
      <Empty icon={Lock} title="Sign in first" isPage>
        <p>These pages are for administrators.</p>
        <LinkButton kind="primary" to={`/-/sign_in${back}`}>
          Sign in
        </LinkButton>
      </Empty>
    )
  }
  if (!session.is_administrator) {
    return (
      <Empty icon={Lock} title="This is for administrators" isPage>
        <p>
          You are signed in as {session.user.name}. If you need something done here, ask whoever runs this server; an
          administrator can also make you one.
        </p>
        <LinkButton to="/">Go to the start page</LinkButton>
      </Empty>
    )
  }
  if (session.has_password) {
    return (
      <Empty icon={Lock} title="You work without these rights" isPage>
        <p>
          You are an administrator, but on this server you ask for those rights with your password. They last six hours
          in this browser.
        </p>
        <LinkButton kind="primary" to={`/-/profile/admin_mode${back}`}>
          Enter admin mode
        </LinkButton>
      </Empty>
    )
  }
  return (
    <Empty icon={Lock} title="Your token does not have these rights" isPage>
      <p>
        On this server administrators have to ask for their rights. Sign out, then sign in with your password, or with a
        token that has the scope admin_mode.
      </p>
    </Empty>
  )
}
