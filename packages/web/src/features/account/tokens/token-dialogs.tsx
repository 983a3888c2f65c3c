import type { ResponseOf } from '@alcove/client'
import { useId, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { ActionForm } from '../../../components/form/action-form.tsx'
import { CheckField, TextField } from '../../../components/form/field.tsx'
import { Dialog } from '../../../components/overlay/dialog.tsx'
import { useAction } from '../../../data/api.ts'
import { useSession } from '../../../data/session.ts'
import { dayAhead, maxDays, type Scope, scopes } from './scopes.ts'
import styles from './tokens.module.css'

export type Issued = ResponseOf<'POST /-/personal_access_tokens'>

export function CreateToken({ onClose, onIssued }: { onClose: () => void; onIssued: (issued: Issued) => void }) {
  const { is_administrator: isAdministrator } = useSession()
  const [chosen, setChosen] = useState<readonly Scope[]>([])
  const [missing, setMissing] = useState('')
  const action = useAction('POST /-/personal_access_tokens', {
    showsErrors: true,
    onDone(issued) {
      onIssued(issued)
      onClose()
    },
  })
  function submit(text: (name: string) => string) {
    if (chosen.length === 0) return setMissing('Select at least one scope.')
    setMissing('')
    const description = text('description')
    action.mutate({
      body: {
        name: text('name'),
        expires_at: text('expires_at'),
        scopes: [...chosen],
        ...(description && { description }),
      },
    })
  }
  return (
    <Dialog isOpen onClose={onClose} title="New access token">
      <ActionForm
        action={action}
        fields={['name', 'expires_at']}
        submit="Create token"
        problem={missing}
        onCancel={onClose}
        onSubmit={submit}
      >
        <TextField label="Name" name="name" required autoComplete="off" hint="For example: nightly scan" />
        <TextField label="Description" name="description" autoComplete="off" />
        <EndField days={30} />
        <fieldset className={styles.scopes}>
          <legend>Scopes</legend>
          {scopes
            .filter(({ isForAdmins }) => isAdministrator || !isForAdmins)
            .map(({ name, meaning }) => (
              <CheckField
                key={name}
                label={<code>{name}</code>}
                hint={meaning}
                checked={chosen.includes(name)}
                onChange={({ target }) =>
                  setChosen(target.checked ? [...chosen, name] : chosen.filter((other) => other !== name))
                }
              />
            ))}
        </fieldset>
      </ActionForm>
    </Dialog>
  )
}

export function RotateToken({
  token,
  onClose,
  onIssued,
}: {
  token: { id: number; name: string }
  onClose: () => void
  onIssued: (issued: Issued) => void
}) {
  const action = useAction('POST /personal_access_tokens/{id}/rotate', {
    showsErrors: true,
    onDone(issued) {
      onIssued(issued)
      onClose()
    },
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Rotate ${token.name}?`}
      lead="Creates a new token with the same name and scopes, and revokes the old one immediately. Update everything that uses it."
    >
      <ActionForm
        action={action}
        submit="Rotate"
        onCancel={onClose}
        onSubmit={(text) => action.mutate({ path: { id: token.id }, body: { expires_at: text('expires_at') } })}
      >
        <EndField days={30} />
      </ActionForm>
    </Dialog>
  )
}

function EndField({ days }: { days: number }) {
  return (
    <TextField
      label="Expiration date"
      name="expires_at"
      type="date"
      required
      defaultValue={dayAhead(days)}
      min={dayAhead(1)}
      max={dayAhead(maxDays)}
      hint={`The token expires at the start of this day (UTC). Maximum: ${maxDays} days from now.`}
    />
  )
}

/** Shows the value of a new token, which cannot be displayed again. */
export function NewToken({ issued, onClose }: { issued: Issued; onClose: () => void }) {
  const id = useId()
  return (
    <section className={styles.issued} aria-label="New token" role="status">
      <label htmlFor={id}>
        <strong>{issued.name}</strong> created. Copy token now. It is not shown again. Keep it secret.
      </label>
      <div className="row-wrap">
        <input
          id={id}
          className={styles.secret}
          readOnly
          value={issued.token}
          onFocus={({ target }) => target.select()}
          spellCheck={false}
        />
        <CopyButton text={issued.token} label="Copy token" size="normal" />
        <Button kind="quiet" onClick={onClose}>
          Done
        </Button>
      </div>
    </section>
  )
}
