import type { ResponseOf } from '@alcove/client'
import { useState } from 'react'
import { ActionForm } from '../../components/form/action-form.tsx'
import { SelectField, TextField } from '../../components/form/field.tsx'
import { Dialog } from '../../components/overlay/dialog.tsx'
import { useAction } from '../../data/api.ts'
import { levels } from '../../data/session.ts'
import { grantableRoles, type MemberPlace } from '../../nouns/member/roles.ts'
import { EndField, ScopesField } from '../../nouns/token/token-fields.tsx'

type Issued = ResponseOf<'POST /projects/{id}/access_tokens'>
interface Props {
  place: MemberPlace
  onClose: () => void
  onIssued: (issued: Issued) => void
}

export const botScopes = [
  { name: 'write_security_reports', meaning: 'Send security reports, and nothing else.' },
  { name: 'read_api', meaning: 'Read-only API access.' },
  { name: 'api', meaning: 'Full read/write API access.' },
] as const
export type BotScope = (typeof botScopes)[number]['name']

const tokenScopes = [...botScopes, { name: 'self_rotate', meaning: 'Rotate itself before it expires.' }] as const
type TokenScope = (typeof tokenScopes)[number]['name']

export function CreateToken({ place, onClose, onIssued }: Props) {
  const [chosen, setChosen] = useState<readonly TokenScope[]>(['write_security_reports'])
  const [role, setRole] = useState(String(levels.developer))
  const [missing, setMissing] = useState('')
  const action = useAction(`POST /${place.noun}s/{id}/access_tokens`, {
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
    const body = {
      name: text('name'),
      expires_at: text('expires_at'),
      access_level: Number(role) as 30, // one of the roles
      scopes: [...chosen],
      ...(description && { description }),
    }
    action.mutate({ path: { id: place.id }, body })
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
        <TextField label="Name" name="name" required autoComplete="off" hint="For example: pipeline" />
        <TextField label="Description" name="description" autoComplete="off" />
        <EndField days={90} />
        <SelectField label="Role" choices={grantableRoles(place)} value={role} onChoose={setRole} />
        <ScopesField scopes={tokenScopes} chosen={chosen} onChange={setChosen} />
      </ActionForm>
    </Dialog>
  )
}

export function RotateToken({ place, token, onClose, onIssued }: Props & { token: { id: number; name: string } }) {
  const action = useAction(`POST /${place.noun}s/{id}/access_tokens/{token_id}/rotate`, {
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
      lead="Creates a new token with the same role and scopes, and revokes the old one immediately. Update everything that uses it."
    >
      <ActionForm
        action={action}
        submit="Rotate"
        onCancel={onClose}
        onSubmit={(text) =>
          action.mutate({ path: { id: place.id, token_id: token.id }, body: { expires_at: text('expires_at') } })
        }
      >
        <EndField days={90} />
      </ActionForm>
    </Dialog>
  )
}
