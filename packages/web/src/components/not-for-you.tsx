import { Lock } from 'lucide-react'
import type { FormEvent } from 'react'
import { isFailure, useAction } from '../data/api.ts'
import { signInAddress } from '../data/own-address.ts'
import type { SessionState } from '../data/session.ts'
import { Button, LinkButton } from './button.tsx'
import { TextField } from './field.tsx'
import styles from './not-for-you.module.css'
import { useTitle } from './page.tsx'
import { Empty } from './states.tsx'

/** In place of the pages for administrators: why they are not shown, and what to do about it. */
export function NotForYou({ session }: { session: SessionState }) {
  useTitle('Administration')
  if (!session.user) {
    return (
      <Empty icon={Lock} title="Sign in first" isPage>
        <p>These pages are for administrators.</p>
        <LinkButton kind="primary" to={signInAddress()}>
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
  return session.has_password ? <EnterAdminMode /> : <TokenWithoutRights />
}

function TokenWithoutRights() {
  return (
    <Empty icon={Lock} title="Your token does not have these rights" isPage>
      <p>
        On this server administrators have to ask for their rights. Sign out, then sign in with your password, or with a
        token that has the scope admin_mode.
      </p>
    </Empty>
  )
}

function EnterAdminMode() {
  const enter = useAction('POST /-/sessions/admin_mode', { showsErrors: true })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    enter.mutate({ body: { password: String(new FormData(event.currentTarget).get('password') ?? '') } })
  }
  const problem = enter.error && (isFailure(enter.error, 401) ? 'The password is wrong.' : enter.error.message)
  return (
    <Empty icon={Lock} title="Enter admin mode" isPage>
      <p>
        You are an administrator, but on this server you work without those rights until you ask for them. They last six
        hours in this browser.
      </p>
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label="Your password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          error={problem ?? undefined}
        />
        <Button type="submit" kind="primary" isBusy={enter.isPending}>
          Enter admin mode
        </Button>
      </form>
    </Empty>
  )
}
