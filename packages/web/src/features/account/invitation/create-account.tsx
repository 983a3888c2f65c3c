import { useState } from 'react'
import { useLocation } from 'wouter'
import { ActionForm } from '../../../components/form/action-form.tsx'
import { TextField } from '../../../components/form/field.tsx'
import { api, isFailure } from '../../../data/api.ts'
import { forgetInvitation } from '../../../data/invitation-link.ts'
import { useToast } from '../../../data/toasts.ts'
import { finishSignIn } from '../finish-sign-in.ts'
import { NewPasswordFields } from '../set-password.tsx'
import styles from './invitation.module.css'
import { type Invited, invitedAddress } from './invited.ts'

const fieldNames = ['username', 'name', 'password']

/** Form that creates an account with the address of the invitation, and accepts it. */
export function CreateAccount({
  secret,
  invited,
  onOver,
}: {
  secret: string
  invited: Invited
  /** Called when the link has become invalid. */
  onOver: () => void
}) {
  const toast = useToast()
  const [, navigate] = useLocation()
  const [error, setError] = useState<Error | null>(null)
  const [mismatch, setMismatch] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  async function create(form: HTMLFormElement) {
    const fields = new FormData(form)
    const text = (name: string) => String(fields.get(name) ?? '')
    const password = text('password')
    const isRepeated = password === text('again')
    setMismatch(isRepeated ? undefined : 'Passwords do not match.')
    if (!isRepeated) return
    setBusy(true)
    setError(null)
    try {
      const account = { username: text('username').trim(), name: text('name').trim(), password }
      const joined = await api.call('POST /-/invitations/account', { body: { token: secret, ...account } })
      forgetInvitation()
      const { user } = await api.call('GET /-/session', {})
      const isHere = user && (await finishSignIn(user.id, { to: invitedAddress(joined), navigate }))
      if (isHere) toast({ text: `Account created. You are now a member of ${joined.name}.` })
      return
    } catch (problem) {
      if (isFailure(problem, 404)) onOver()
      else setError(problem as Error) // the client throws only errors
    }
    setBusy(false)
  }

  return (
    <section className={styles.card} aria-labelledby="create-account">
      <h2 id="create-account">Create an account</h2>
      <ActionForm
        action={{ error, isPending: isBusy }}
        fields={fieldNames}
        submit="Create account and accept"
        onSubmit={(_, form) => void create(form)}
      >
        <TextField
          label="E-mail address"
          type="email"
          value={invited.invite_email}
          readOnly
          autoComplete="off"
          hint="The address that the invitation was sent to."
        />
        <TextField label="Name" name="name" required autoComplete="name" />
        <TextField
          label="Username"
          name="username"
          required
          autoComplete="username"
          autoCapitalize="off"
          spellCheck={false}
          hint="Letters, digits, -, _ and dots. Part of the addresses of your projects."
        />
        <NewPasswordFields label="Password" problems={{ again: mismatch }} />
      </ActionForm>
    </section>
  )
}
