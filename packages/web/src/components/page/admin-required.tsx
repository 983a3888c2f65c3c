import { Lock } from 'lucide-react'
import type { FormEvent } from 'react'
import { isFailure, useAction } from '../../data/api.ts'
import { signInAddress } from '../../data/own-address.ts'
import { isUnlimited, useSession } from '../../data/session.ts'
import { Button, LinkButton } from '../button.tsx'
import { TextField } from '../form/field.tsx'
import { Problem } from '../form/problem.tsx'
import { texts } from '../texts.ts'
import styles from './admin-required.module.css'
import { useTitle } from './page.tsx'
import { Empty } from './states.tsx'

/** Replaces the admin pages when the user may not see them: explains why and what to do. */
export function AdminRequired() {
  const session = useSession()
  useTitle(texts.administration)
  if (!session.user) {
    return (
      <Empty icon={Lock} title={texts.signInRequired} isPage>
        <p>{texts.signInAsAnAdministrator}</p>
        <LinkButton kind="primary" to={signInAddress()}>
          {texts.signIn}
        </LinkButton>
      </Empty>
    )
  }
  if (!session.is_administrator) {
    return (
      <Empty icon={Lock} title={texts.administratorAccessRequired} isPage>
        <p>{texts.youAreSignedInAsWho(session.user.name)}</p>
        <LinkButton to="/">{texts.goToHome}</LinkButton>
      </Empty>
    )
  }
  return isUnlimited(session) ? <EnterAdminMode hasPassword={session.has_password} /> : <TokenWithoutRights />
}

function TokenWithoutRights() {
  return (
    <Empty icon={Lock} title={texts.yourTokenDoesNotAllow} isPage>
      <p>{texts.thisServerRequiresAdmin}</p>
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
  const problem = enter.error && (isFailure(enter.error, 401) ? texts.incorrectPassword : enter.error.message)
  return (
    <Empty icon={Lock} title={texts.enterAdminMode} isPage>
      <p>{texts.thisServerRequiresAdminMode}</p>
      <form className={styles.form} onSubmit={submit}>
        {hasPassword ? (
          <TextField
            label={texts.yourPassword}
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
          {texts.enterAdminMode}
        </Button>
      </form>
    </Empty>
  )
}
