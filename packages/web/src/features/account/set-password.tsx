import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { api, isFailure, queries } from '../../app/api.ts'
import { Mark } from '../../app/mark.tsx'
import { sessionQuery } from '../../app/session.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { useTitle } from '../../components/page.tsx'
import { Problem, problemsOf } from '../../components/problem.tsx'
import { Empty } from '../../components/states.tsx'
import { useToast } from '../../components/toast.tsx'
import styles from './sign-in.module.css'

/** Where the link leads by which one sets a password, once. What is behind # stays in the browser until it is sent. */
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
            ? 'Such a link works once and for a day. Ask an administrator for another one.'
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
      await api.call('POST /-/password', { body: { token, password } })
      await queries.resetQueries(sessionQuery)
      toast({ text: 'Your password is set. Sign in with it.' })
      navigate('/-/sign_in', { replace: true })
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
        <Problem text={problems.rest} />
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Set the password
        </Button>
      </form>
    </div>
  )
}

const none = { fields: {}, rest: '' }

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
        hint="At least 8 characters. A few words that do not belong together are good."
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
