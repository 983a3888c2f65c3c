import type { ResponseOf } from '@alcove/client'
import { useState } from 'react'
import { ActionForm } from '../../../components/form/action-form.tsx'
import { TextField } from '../../../components/form/field.tsx'
import { Dialog } from '../../../components/overlay/dialog.tsx'
import { useAction } from '../../../data/api.ts'
import { useSession } from '../../../data/session.ts'
import { type Scope, scopes } from '../../../nouns/token/scopes.ts'
import { EndField, ScopesField } from '../../../nouns/token/token-fields.tsx'

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
        <ScopesField
          scopes={scopes.filter(({ isForAdmins }) => isAdministrator || !isForAdmins)}
          chosen={chosen}
          onChange={setChosen}
        />
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
