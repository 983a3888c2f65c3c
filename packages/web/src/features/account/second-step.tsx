import type { Schemas } from '@alcove/client'
import { KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/form/field.tsx'
import { Mark } from '../../components/mark.tsx'
import { useTitle } from '../../components/page/page.tsx'
import { api, isFailure } from '../../data/api.ts'
import { hasPasskeys, signWithPasskey } from '../../data/passkeys.ts'
import styles from './sign-in.module.css'
import { texts } from './texts.ts'

type PendingSignIn = Schemas['PendingSignIn']

/** Second step of a sign-in: a code of an app, a recovery code or a passkey. */
export function SecondStep({
  pending: { challenge, methods },
  onDone,
  onBack,
}: {
  pending: PendingSignIn
  onDone: (user: Schemas['BasicUser']) => Promise<void>
  /** Leads back to the first step. */
  onBack: () => void
}) {
  useTitle(texts.twoFactorAuthentication)
  const [problem, setProblem] = useState('')
  const [busy, setBusy] = useState<'code' | 'passkey'>()
  const hasApp = methods.includes('totp')
  const hasPasskey = methods.includes('passkey') && hasPasskeys()

  async function complete(way: 'code' | 'passkey', prove: () => Promise<Proof | undefined>) {
    setBusy(way)
    setProblem('')
    try {
      const proof = await prove()
      if (proof) {
        return await onDone(await api.call('POST /-/sessions/second_factor', { body: { challenge, ...proof } }))
      }
      setProblem(texts.noPasskeyWasUsedTry)
    } catch (error) {
      setProblem(sentenceOf(error as Error, way)) // always an Error
    }
    setBusy(undefined)
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code') ?? '').trim()
    void complete('code', async () => ({ code }))
  }

  async function provePasskey(): Promise<Proof | undefined> {
    const passkey = await signWithPasskey(challenge)
    return passkey && { passkey }
  }

  return (
    <div className={styles.box}>
      <Mark size={48} />
      <h1>{texts.twoFactorAuthentication}</h1>
      <form className={styles.form} onSubmit={submit}>
        {hasPasskey && (
          <Button
            kind="primary"
            icon={KeyRound}
            isBusy={busy === 'passkey'}
            onClick={() => void complete('passkey', provePasskey)}
          >
            {texts.usePasskey}
          </Button>
        )}
        <TextField
          label={hasApp ? texts.verificationCode : texts.recoveryCode}
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="off"
          spellCheck={false}
          required
          autoFocus
          hint={hasApp ? texts.enterThe6Digit : texts.enterOneOfYourRecovery}
        />
        {problem && (
          <p role="alert" className={styles.problem}>
            {problem}
          </p>
        )}
        <Button type="submit" kind={hasPasskey ? 'plain' : 'primary'} isBusy={busy === 'code'}>
          {texts.verifyCode}
        </Button>
        <Button kind="quiet" onClick={onBack}>
          {texts.backToSignIn}
        </Button>
      </form>
    </div>
  )
}

type Proof = { code: string } | { passkey: Record<string, unknown> }

function sentenceOf(error: Error, way: 'code' | 'passkey'): string {
  if (isFailure(error, 401)) {
    return way === 'code' ? texts.incorrectCodeACode : texts.thePasskeyCouldNotBeVerified
  }
  return isFailure(error, 429) ? texts.tooManyAttemptsTry : error.message
}
