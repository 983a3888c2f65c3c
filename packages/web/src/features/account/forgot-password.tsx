import { Mail, UserRoundCog } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button, LinkButton } from '../../components/button.tsx'
import { TextField } from '../../components/form/field.tsx'
import { Problem } from '../../components/form/problem.tsx'
import { Mark } from '../../components/mark.tsx'
import { useTitle } from '../../components/page/page.tsx'
import { Empty } from '../../components/page/states.tsx'
import { api } from '../../data/api.ts'
import { useSession } from '../../data/session.ts'
import styles from './sign-in.module.css'

/** Page that requests a link by e-mail to replace a forgotten password. */
export function ForgotPassword() {
  useTitle('Forgot your password?')
  const { can_request_password_link: canRequest } = useSession()
  const [problem, setProblem] = useState('')
  const [isSent, setSent] = useState(false)
  const [isBusy, setBusy] = useState(false)

  if (!canRequest || isSent) {
    return (
      <Empty icon={isSent ? Mail : UserRoundCog} title={isSent ? 'Check your e-mail' : 'Ask an administrator'} isPage>
        <p role="status">
          {isSent
            ? 'If the account exists, a link to set a new password is on its way to its address. It can take a few minutes; check the spam folder too. If nothing arrives, ask an administrator.'
            : 'This server cannot send links to set a password. An administrator can create one for you.'}
        </p>
        <LinkButton to="/-/sign_in">Sign in</LinkButton>
      </Empty>
    )
  }

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const login = String(new FormData(event.currentTarget).get('login') ?? '').trim()
    setBusy(true)
    setProblem('')
    try {
      await api.call('POST /-/password_links', { body: { login } })
      setSent(true)
    } catch (error) {
      setProblem((error as Error).message) // always an Error
    }
    setBusy(false)
  }

  return (
    <div className={styles.box}>
      <Mark size={48} />
      <h1>Forgot your password?</h1>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <TextField
          label="Username or e-mail address"
          name="login"
          autoComplete="username"
          required
          autoFocus
          hint="You receive an e-mail with a link to set a new password."
        />
        <Problem text={problem} />
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Send link
        </Button>
        <LinkButton kind="quiet" to="/-/sign_in">
          Cancel
        </LinkButton>
      </form>
    </div>
  )
}
