import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/form/field.tsx'
import { Dialog, DialogActions } from '../components/overlay/dialog.tsx'
import { api, isFailure } from '../data/api.ts'
import { finishConfirmation } from '../data/confirmation.ts'

/** Prompts for the password, or for the token used to sign in, while a request waits for confirmation. */
export function ConfirmIdentity({ isByPassword }: { isByPassword: boolean }) {
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
