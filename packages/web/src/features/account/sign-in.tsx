import type { Schemas } from '@alcove/client'
import { type FormEvent, useState } from 'react'
import { Link, Redirect, useLocation } from 'wouter'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/form/field.tsx'
import { Mark } from '../../components/mark.tsx'
import { useTitle } from '../../components/page/page.tsx'
import { api, isFailure } from '../../data/api.ts'
import { ownAddress } from '../../data/own-address.ts'
import { isSignOutComplete } from '../../data/provider-sign-in.ts'
import { useSearchState } from '../../data/search-state.ts'
import { useSession } from '../../data/session.ts'
import { finishSignIn } from './finish-sign-in.ts'
import { PasskeySignIn } from './passkey-sign-in.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { SecondStep } from './second-step.tsx'
import styles from './sign-in.module.css'
import { texts } from './texts.ts'

const searchFields = ['to', 'with', 'problem', 'provider', 'state'] as const

/** Sign-in page, with an identity provider, a password or a token. Redirects to the previous page afterwards. */
export function SignIn() {
  useTitle(texts.signIn)
  const { user, providers, passwords, can_request_password_link: canRequestLink } = useSession()
  const [, navigate] = useLocation()
  const [{ to = '/', with: way = 'password', problem: failure, provider, state }, set] = useSearchState(searchFields)
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [pending, setPending] = useState<Schemas['PendingSignIn']>()
  const isByToken = way === 'token'
  const next = ownAddress(to, '/')
  if (user && !isBusy && failure === undefined) return <Redirect to={next} replace />

  async function finish({ id }: Schemas['BasicUser']) {
    await finishSignIn(id, { to: next, navigate })
  }

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const text = (name: string) => String(fields.get(name) ?? '')
    setBusy(true)
    setProblem('')
    try {
      const body = isByToken ? { token: text('token') } : { login: text('login').trim(), password: text('password') }
      const signedIn = await api.call('POST /-/sessions', { body })
      if ('challenge' in signedIn) setPending(signedIn)
      else await finish(signedIn)
    } catch (error) {
      setProblem(sentenceOf(error as Error, isByToken)) // always an Error
    }
    setBusy(false)
  }

  if (pending) return <SecondStep pending={pending} onDone={finish} onBack={() => setPending(undefined)} />
  return (
    <div className={styles.box}>
      <Mark size={48} />
      <h1>{texts.signInToAlcove}</h1>
      {isSignOutComplete(state) && <p role="status">{texts.youSignedOutHere}</p>}
      {(providers.length > 0 || failure !== undefined) && (
        <div className={styles.providers}>
          <ProviderButtons
            to={next}
            {...(failure !== undefined && { problem: failure })}
            {...(provider !== undefined && { failed: provider })}
          />
        </div>
      )}
      {(passwords || isByToken) && (
        <form className={styles.form} onSubmit={(event) => void submit(event)} key={way}>
          {isByToken ? (
            <TextField
              label={texts.accessToken}
              name="token"
              type="password"
              autoComplete="off"
              required
              autoFocus
              hint={texts.requiresTheApiOrRead}
            />
          ) : (
            <>
              <TextField label={texts.usernameOrEMail} name="login" autoComplete="username" required autoFocus />
              <TextField
                label={texts.password}
                name="password"
                type="password"
                autoComplete="current-password"
                required
              />
            </>
          )}
          {problem && (
            <p role="alert" className={styles.problem}>
              {problem}
            </p>
          )}
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {texts.signIn}
          </Button>
          {canRequestLink && !isByToken && <Link href="/-/forgot_password">{texts.forgotYourPassword}</Link>}
          {passwords && <PasskeySignIn onDone={finish} />}
          {passwords && (
            <Button kind="quiet" onClick={() => set({ with: isByToken ? undefined : 'token' }, { isReplacing: true })}>
              {isByToken ? texts.useAPasswordInstead : texts.useAnAccessToken}
            </Button>
          )}
        </form>
      )}
    </div>
  )
}

function sentenceOf(error: Error, isByToken: boolean): string {
  if (!isFailure(error, 401)) return error.message
  return isByToken ? texts.invalidOrExpiredToken : texts.incorrectUsernameOrPassword
}
