import { Lock } from 'lucide-react'
import type { FormEvent } from 'react'
import { isFailure, useAction } from '../../data/api.ts'
import { signInAddress } from '../../data/own-address.ts'
import { isUnlimited, useSession } from '../../data/session.ts'
import { Button, LinkButton } from '../button.tsx'
import { TextField } from '../form/field.tsx'
import { Problem } from '../form/problem.tsx'
import styles from './admin-required.module.css'
import { useTitle } from './page.tsx'
import { Empty } from './states.tsx'

/** Replaces the admin pages when the user may not see them: explains why and what to do. */
export function AdminRequired() {
  const session = useSession()
  useTitle('Administration')
  if (!session.user) {
    return (
      <Empty icon={Lock} title="Sign in required" isPage>
        <p>Sign in as an administrator to open the Admin area.</p>
        <LinkButton kind="primary" to={signInAddress()}>
          Sign in
        </LinkButton>
      </Empty>
    )
  }
  if (!session.is_administrator) {
    return (
      <Empty icon={Lock} title="Administrator access required" isPage>
        <p>You are signed in as {session.user.name}, who is not an administrator. Ask an administrator for access.</p>
        <LinkButton to="/">Go to home</LinkButton>
      </Empty>
    )
  }
  return isUnlimited(session) ? <EnterAdminMode hasPassword={session.has_password} /> : <TokenWithoutRights />
}

function TokenWithoutRights() {
  return (
    <Empty icon={Lock} title="Your token does not allow this" isPage>
      <p>
        This server requires admin mode. Sign out, then sign in with your password or with a token that has the
        admin_mode scope.
      </p>
    </Empty>
  )
}

function EnterAdminMode({ hasPassword }: { hasPassword: boolean }) {
  const enter = useAction('POST /-/sessions/admin_mode', { showsErrors: true })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const password = String(new FormData(event.currentTarget).get('password') ?? '')
    enter.mutate({ body: hasPassword ? { password } : {} })
  }
  const problem = enter.error && (isFailure(enter.error, 401) ? 'Incorrect password.' : enter.error.message)
  return (
    <Empty icon={Lock} title="Enter admin mode" isPage>
      <p>This server requires admin mode for administrative actions. Admin mode lasts six hours in this browser.</p>
      <form className={styles.form} onSubmit={submit}>
        {hasPassword ? (
          <TextField
            label="Your password"
            name="password"
            type="password"
            autoComplete="current-password"
            required
            error={problem ?? undefined}
          />
        ) : (
          <Problem text={problem || ''} />
        )}
        <Button type="submit" kind="primary" isBusy={enter.isPending}>
          Enter admin mode
        </Button>
      </form>
    </Empty>
  )
}
