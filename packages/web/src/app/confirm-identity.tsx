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
      title="Confirm who you are"
      lead={
        provider
          ? `You signed in some time ago. Sign in with ${provider.name} again to manage tokens, passwords and sessions. This page opens again afterwards.`
          : 'You signed in some time ago. Sign out and sign in again to manage tokens, passwords and sessions.'
      }
    >
      <Problem text={problem} />
      <DialogActions>
        <Button onClick={() => finishConfirmation(false)}>Cancel</Button>
        {provider && (
          <Button kind="primary" onClick={open}>
            Sign in with {provider.name}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

function ConfirmSecret({ isByPassword, hasPasskey }: { isByPassword: boolean; hasPasskey: boolean }) {
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const noun = isByPassword ? 'password' : 'access token'

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
      setProblem(isFailure(error, 401) ? `Incorrect ${noun}.` : message)
      setBusy(false)
    }
  }

  return (
    <Dialog
      isOpen
      isOnTop
      onClose={() => finishConfirmation(false)}
      title={hasPasskey ? 'Confirm who you are' : `Confirm your ${noun}`}
      lead={
        hasPasskey
          ? 'You signed in some time ago. Use your passkey or enter your password to manage tokens, passwords and sessions.'
          : `You entered your ${noun} some time ago. Enter it again to manage tokens, passwords and sessions.`
      }
    >
      <form className="form" onSubmit={(event) => void submit(event)}>
        <TextField
          label={isByPassword ? 'Your password' : 'Your access token'}
          name="proof"
          type="password"
          autoComplete={isByPassword ? 'current-password' : 'off'}
          required
          error={problem}
        />
        <DialogActions>
          <Button onClick={() => finishConfirmation(false)}>Cancel</Button>
          {hasPasskey && <Button onClick={() => void confirm(provePasskey)}>Use passkey</Button>}
          <Button type="submit" kind="primary" isBusy={isBusy}>
            Confirm
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
