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
import { texts } from './texts.ts'

/** Page that requests a link by e-mail to replace a forgotten password. */
export function ForgotPassword() {
  useTitle(texts.forgotYourPassword)
  const { can_request_password_link: canRequest } = useSession()
  const [problem, setProblem] = useState('')
  const [isSent, setSent] = useState(false)
  const [isBusy, setBusy] = useState(false)

  if (!canRequest || isSent) {
    return (
      <Empty
        icon={isSent ? Mail : UserRoundCog}
        title={isSent ? texts.checkYourEMail : texts.askAnAdministrator}
        isPage
      >
        <p role="status">{isSent ? texts.ifTheAccountExists : texts.thisServerCannotSend}</p>
        <LinkButton to="/-/sign_in">{texts.signIn}</LinkButton>
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
      <h1>{texts.forgotYourPassword}</h1>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <TextField
          label={texts.usernameOrEMail}
          name="login"
          autoComplete="username"
          required
          autoFocus
          hint={texts.youReceiveAnE}
        />
        <Problem text={problem} />
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {texts.sendLink}
        </Button>
        <LinkButton kind="quiet" to="/-/sign_in">
          {texts.cancel}
        </LinkButton>
      </form>
    </div>
  )
}
