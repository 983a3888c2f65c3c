import { type FormEvent, useState } from 'react'
import { Redirect, useLocation } from 'wouter'
import { api, isFailure, queries } from '../../app/api.ts'
import { Mark } from '../../app/mark.tsx'
import { useSession } from '../../app/session.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { useTitle } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { useSearchState } from '../../components/search-state.ts'
import { Empty } from '../../components/states.tsx'
import styles from './sign-in.module.css'
import { SignedIn, TokenNotice } from './signed-in.tsx'

/** Where administrators ask for their rights, with their password. */
export function AdminMode() {
  return <SignedIn title="Admin mode">{() => <Asking />}</SignedIn>
}

function Asking() {
  useTitle('Admin mode')
  const session = useSession()
  const [, navigate] = useLocation()
  const [{ to = '/-/admin' }] = useSearchState(['to'])
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const next = /^\/(?!\/|\\)/.test(to) ? to : '/-/admin'
  if (session.is_admin) return <Redirect to={next} replace />
  if (!session.is_administrator || !session.has_password) {
    return (
      <Empty title="Admin mode" isPage>
        {session.is_administrator ? (
          <TokenNotice what="Whether it has an administrator’s rights, the token says. Sign in with your password to ask for them." />
        ) : (
          <p>You are not an administrator of this server.</p>
        )}
      </Empty>
    )
  }
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const password = String(new FormData(event.currentTarget).get('password') ?? '')
    setBusy(true)
    setProblem('')
    try {
      await api.call('POST /-/sessions/admin_mode', { body: { password } })
      await queries.invalidateQueries()
      navigate(next, { replace: true })
    } catch (error) {
      setProblem(isFailure(error, 401) ? 'This is not your password.' : (error as Error).message)
    }
    setBusy(false)
  }
  return (
    <div className={styles.box}>
      <Mark size={48} />
      <h1>Admin mode</h1>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <p className="muted">
          This browser gets your rights as an administrator for six hours, or until you leave the mode.
        </p>
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
        />
        <Problem text={problem} />
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Enter admin mode
        </Button>
      </form>
    </div>
  )
}
