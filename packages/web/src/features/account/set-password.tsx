import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { Button, LinkButton } from '../../components/button.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { Mark } from '../../components/mark.tsx'
import { useTitle } from '../../components/page.tsx'
import { Problem, problemsOf } from '../../components/problem.tsx'
import { Empty } from '../../components/states.tsx'
import { api, isFailure, queries } from '../../data/api.ts'
import { hasShownOthers, sessionQuery } from '../../data/session.ts'
import { useToast } from '../../data/toasts.ts'
import styles from './sign-in.module.css'

/** The page of a password link, which sets a password once and signs in. The part after # is not sent before that. */
export function SetPassword() {
  useTitle('Set your password')
  const toast = useToast()
  const [, navigate] = useLocation()
  const [token] = useState(() => location.hash.slice(1))
  const [problems, setProblems] = useState<{ fields: Record<string, string | undefined>; rest: string }>(none)
  const [isOver, setOver] = useState(false)
  const [isBusy, setBusy] = useState(false)

  if (token === '' || isOver) {
    return (
      <Empty title={isOver ? 'This link is over' : 'A link is needed for this'} isPage>
        <p>
          {isOver
            ? 'Such a link works once and for a day. If you have just set a password with it, sign in with that password; otherwise ask an administrator for another link.'
            : 'Open the whole link that you were given; its end, behind the #, is missing. To change a password you know, sign in.'}
        </p>
        <LinkButton to="/-/sign_in">Sign in</LinkButton>
      </Empty>
    )
  }

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const password = String(form.get('password') ?? '')
    if (password !== form.get('again')) return setProblems({ fields: { again: 'This is not the same.' }, rest: '' })
    setBusy(true)
    setProblems(none)
    try {
      const body = { token, password, revoke_tokens: form.get('revoke_tokens') === 'on' }
      const { id, username } = await api.call('POST /-/password', { body })
      // A new page: nothing that another user saw or wrote stays in this one.
      if (hasShownOthers(id)) return location.replace('/')
      await queries.resetQueries(sessionQuery)
      toast({ text: `Password set. You are signed in as ${username}.` })
      navigate('/', { replace: true })
    } catch (error) {
      if (isFailure(error, 401)) setOver(true)
      else setProblems(problemsOf(error as Error, ['password'])) // nothing else is thrown here
    }
    setBusy(false)
  }

  return (
    <div className={styles.box}>
      <Mark size={48} />
      <h1>Set your password</h1>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <NewPasswordFields problems={problems.fields} />
        <RevokeTokensField />
        <Problem text={problems.rest} />
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Set the password
        </Button>
      </form>
    </div>
  )
}

const none = { fields: {}, rest: '' }

/** Revoking tokens with the password, for instance after a theft: `revoke_tokens`. */
export function RevokeTokensField() {
  return (
    <CheckField
      name="revoke_tokens"
      label="Revoke my access tokens too"
      hint="Scripts and tools that use them need new ones."
    />
  )
}

/** A new password, twice: `password` and `again`. */
export function NewPasswordFields({ problems }: { problems: Record<string, string | undefined> }) {
  return (
    <>
      <TextField
        label="New password"
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={8}
        maxLength={128}
        required
        hint="At least 8 characters, no common password and not your name. Several unrelated words work well."
        error={problems['password']}
      />
      <TextField
        label="New password again"
        name="again"
        type="password"
        autoComplete="new-password"
        required
        error={problems['again']}
      />
    </>
  )
}
