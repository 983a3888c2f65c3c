import type { Schemas } from '@alcove/client'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { Button, LinkButton } from '../../components/button.tsx'
import { CheckField, TextField } from '../../components/form/field.tsx'
import { Problem, problemsOf } from '../../components/form/problem.tsx'
import { Mark } from '../../components/mark.tsx'
import { useTitle } from '../../components/page/page.tsx'
import { Empty } from '../../components/page/states.tsx'
import { api, isFailure } from '../../data/api.ts'
import { useSession } from '../../data/session.ts'
import { useToast } from '../../data/toasts.ts'
import { finishSignIn } from './finish-sign-in.ts'
import { SecondStep } from './second-step.tsx'
import styles from './sign-in.module.css'
import { texts } from './texts.ts'

/**
 * Page of a password reset link. The token is in the fragment (after #), so the browser does not send it on page load.
 */
export function SetPassword() {
  useTitle(texts.setYourPassword)
  const toast = useToast()
  const [, navigate] = useLocation()
  const { can_request_password_link: canRequest } = useSession()
  const [token] = useState(() => location.hash.slice(1))
  const [problems, setProblems] = useState<{ fields: Record<string, string | undefined>; rest: string }>(none)
  const [isOver, setOver] = useState(false)
  const [pending, setPending] = useState<Schemas['PendingSignIn']>()
  const [isBusy, setBusy] = useState(false)

  if (pending) return <SecondStep pending={pending} onDone={finish} onBack={() => navigate('/-/sign_in')} />
  if (token === '' || isOver) {
    return (
      <Empty title={isOver ? texts.thisLinkHasExpired : texts.incompleteLink} isPage>
        <p>
          {isOver
            ? texts.linksCanBeUsedCanRequest(canRequest ? texts.requestANewLink : texts.askAnAdministratorForANew)
            : texts.thePartAfterIsMissingCopy}
        </p>
        {isOver && canRequest && <LinkButton to="/-/forgot_password">{texts.requestANewLink2}</LinkButton>}
        <LinkButton to="/-/sign_in">{texts.signIn}</LinkButton>
      </Empty>
    )
  }

  async function finish({ id, username }: Schemas['BasicUser']) {
    const isHere = await finishSignIn(id, { to: '/', navigate })
    if (isHere) toast({ text: texts.passwordSetYouAreSigned(username) })
  }

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const password = String(form.get('password') ?? '')
    if (password !== form.get('again')) return setProblems({ fields: { again: texts.passwordsDoNotMatch }, rest: '' })
    setBusy(true)
    setProblems(none)
    try {
      const body = { token, password, revoke_tokens: form.get('revoke_tokens') === 'on' }
      const signedIn = await api.call('POST /-/password', { body })
      if ('challenge' in signedIn) setPending(signedIn)
      else await finish(signedIn)
    } catch (error) {
      if (isFailure(error, 401)) setOver(true)
      else setProblems(problemsOf(error as Error, ['password'])) // always an Error
    }
    setBusy(false)
  }

  return (
    <div className={styles.box}>
      <Mark size={48} />
      <h1>{texts.setYourPassword}</h1>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <NewPasswordFields problems={problems.fields} />
        <RevokeTokensField />
        <Problem text={problems.rest} />
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {texts.setPassword}
        </Button>
      </form>
    </div>
  )
}

const none = { fields: {}, rest: '' }

/** Checkbox to also revoke all access tokens, for example after a theft. Its name is `revoke_tokens`. */
export function RevokeTokensField() {
  return <CheckField name="revoke_tokens" label={texts.alsoRevokeMyAccess} hint={texts.scriptsAndToolsThatUse} />
}

/** Fields for a new password and its confirmation: `password` and `again`. */
export function NewPasswordFields({
  problems,
  label = texts.newPassword,
}: {
  problems: Record<string, string | undefined>
  label?: string
}) {
  return (
    <>
      <TextField
        label={label}
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={8}
        maxLength={128}
        required
        hint={texts.atLeast8Characters}
        error={problems['password']}
      />
      <TextField
        label={texts.confirm(label.toLowerCase())}
        name="again"
        type="password"
        autoComplete="new-password"
        required
        error={problems['again']}
      />
    </>
  )
}
