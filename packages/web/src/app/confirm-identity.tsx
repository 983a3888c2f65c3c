import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/form/field.tsx'
import { Problem } from '../components/form/problem.tsx'
import { Dialog, DialogActions } from '../components/overlay/dialog.tsx'
import { api, isFailure } from '../data/api.ts'
import { finishConfirmation } from '../data/confirmation.ts'
import { signInWithProvider } from '../data/provider-sign-in.ts'
import type { SessionState } from '../data/session.ts'

/** Prompts for what the session was started with, while a request waits for confirmation. */
export function ConfirmIdentity({ session }: { session: SessionState }) {
  const { signed_in_with: method, provider, providers } = session
  if (method === 'password' || method === 'token') return <ConfirmSecret isByPassword={method === 'password'} />
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

function ConfirmSecret({ isByPassword }: { isByPassword: boolean }) {
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const noun = isByPassword ? 'password' : 'access token'

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    // React events of a dialog bubble to the form that opened the dialog.
    event.stopPropagation()
    const proof = String(new FormData(event.currentTarget).get('proof') ?? '')
    setBusy(true)
    setProblem('')
    try {
      await api.call('POST /-/sessions/confirm', { body: isByPassword ? { password: proof } : { token: proof } })
      finishConfirmation(true)
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
      title={`Confirm your ${noun}`}
      lead={`You entered your ${noun} some time ago. Enter it again to manage tokens, passwords and sessions.`}
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
          <Button type="submit" kind="primary" isBusy={isBusy}>
            Confirm
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
