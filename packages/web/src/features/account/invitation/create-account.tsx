import { useState } from 'react'
import { useLocation } from 'wouter'
import { ActionForm } from '../../../components/form/action-form.tsx'
import { TextField } from '../../../components/form/field.tsx'
import { api, isFailure } from '../../../data/api.ts'
import { forgetInvitation } from '../../../data/invitation-link.ts'
import { useToast } from '../../../data/toasts.ts'
import { finishSignIn } from '../finish-sign-in.ts'
import { NewPasswordFields } from '../set-password.tsx'
import { texts } from '../texts.ts'
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
    setMismatch(isRepeated ? undefined : texts.passwordsDoNotMatch)
    if (!isRepeated) return
    setBusy(true)
    setError(null)
    try {
      const account = { username: text('username').trim(), name: text('name').trim(), password }
      const joined = await api.call('POST /-/invitations/account', { body: { token: secret, ...account } })
      forgetInvitation()
      const { user } = await api.call('GET /-/session', {})
      const isHere = user && (await finishSignIn(user.id, { to: invitedAddress(joined), navigate }))
      if (isHere) toast({ text: texts.accountCreatedYouAreNow(joined.name) })
      return
    } catch (problem) {
      if (isFailure(problem, 404)) onOver()
      else setError(problem as Error) // the client throws only errors
    }
    setBusy(false)
  }

  return (
    <section className={styles.card} aria-labelledby="create-account">
      <h2 id="create-account">{texts.createAnAccount}</h2>
      <ActionForm
        action={{ error, isPending: isBusy }}
        fields={fieldNames}
        submit={texts.createAccountAndAccept}
        onSubmit={(_, form) => void create(form)}
      >
        <TextField
          label={texts.eMailAddress}
          type="email"
          value={invited.invite_email}
          readOnly
          autoComplete="off"
          hint={texts.theAddressThatTheInvitation}
        />
        <TextField label={texts.name} name="name" required autoComplete="name" />
        <TextField
          label={texts.username}
          name="username"
          required
          autoComplete="username"
          autoCapitalize="off"
          spellCheck={false}
          hint={texts.lettersDigitsAndDots}
        />
        <NewPasswordFields label={texts.password} problems={{ again: mismatch }} />
      </ActionForm>
    </section>
  )
}
