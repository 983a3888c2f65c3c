import type { Request } from '@alcove/client'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/form/field.tsx'
import { Problem } from '../components/form/problem.tsx'
import { Dialog, DialogActions } from '../components/overlay/dialog.tsx'
import { api, isFailure } from '../data/api.ts'
import { finishConfirmation } from '../data/confirmation.ts'
import { hasPasskeys, signWithPasskey } from '../data/passkeys.ts'
import { signInWithProvider } from '../data/provider-sign-in.ts'
import type { SessionState } from '../data/session.ts'
import { texts } from './texts.ts'

/** Prompts for what the session was started with, while a request waits for confirmation. */
export function ConfirmIdentity({ session }: { session: SessionState }) {
  const { signed_in_with: method, provider, providers } = session
  if (method === 'token') return <ConfirmSecret isByPassword={false} hasPasskey={false} />
  if (method === 'password' || method === 'passkey') {
    return <ConfirmSecret isByPassword hasPasskey={method === 'passkey' && hasPasskeys()} />
  }
  const known = providers.find(({ key }) => key === provider)
  return <ConfirmAtProvider provider={known} />
}

/** Leads to the identity provider. The page is loaded again afterwards, so the user repeats what they were doing. */
function ConfirmAtProvider({ provider }: { provider: { key: string; name: string } | undefined }) {
  const [problem, setProblem] = useState('')
  const open = () => {
    const to = location.pathname + location.search
    signInWithProvider(provider?.key ?? '', { to, confirm: true }).catch((error: Error) => setProblem(error.message))
  }
  return (
    <Dialog
      isOpen
      isOnTop
      onClose={() => finishConfirmation(false)}
      title={texts.confirmWhoYouAre}
      lead={provider ? texts.youSignedInSomeName(provider.name) : texts.youSignedInSome}
    >
      <Problem text={problem} />
      <DialogActions>
        <Button onClick={() => finishConfirmation(false)}>{texts.cancel}</Button>
        {provider && (
          <Button kind="primary" onClick={open}>
            {texts.signInWith(provider.name)}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

function ConfirmSecret({ isByPassword, hasPasskey }: { isByPassword: boolean; hasPasskey: boolean }) {
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const noun = isByPassword ? texts.password : texts.accessToken

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    // React events of a dialog bubble to the form that opened the dialog.
    event.stopPropagation()
    const proof = String(new FormData(event.currentTarget).get('proof') ?? '')
    await confirm(async () => (isByPassword ? { password: proof } : { token: proof }))
  }

  async function provePasskey() {
    const passkey = await signWithPasskey()
    return passkey && { passkey }
  }

  async function confirm(prove: () => Promise<Request<'POST /-/sessions/confirm'>['body'] | undefined>) {
    setBusy(true)
    setProblem('')
    try {
      const body = await prove()
      if (body) {
        await api.call('POST /-/sessions/confirm', { body })
        return finishConfirmation(true)
      }
      setBusy(false)
    } catch (error) {
      const { message } = error as Error // nothing else is thrown here
      setProblem(isFailure(error, 401) ? texts.incorrect(noun) : message)
      setBusy(false)
    }
  }

  return (
    <Dialog
      isOpen
      isOnTop
      onClose={() => finishConfirmation(false)}
      title={hasPasskey ? texts.confirmWhoYouAre : texts.confirmYour(noun)}
      lead={hasPasskey ? texts.youSignedInSomeTime : texts.youEnteredYourSome(noun)}
    >
      <form className="form" onSubmit={(event) => void submit(event)}>
        <TextField
          label={isByPassword ? texts.yourPassword : texts.yourAccessToken}
          name="proof"
          type="password"
          autoComplete={isByPassword ? 'current-password' : 'off'}
          required
          error={problem}
        />
        <DialogActions>
          <Button onClick={() => finishConfirmation(false)}>{texts.cancel}</Button>
          {hasPasskey && <Button onClick={() => void confirm(provePasskey)}>{texts.usePasskey}</Button>}
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {texts.confirm}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
