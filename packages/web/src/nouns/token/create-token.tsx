import type { ResponseOf } from '@alcove/client'
import { type ReactNode, useState } from 'react'
import { ActionForm } from '../../components/form/action-form.tsx'
import { SelectField, TextField } from '../../components/form/field.tsx'
import { Dialog } from '../../components/overlay/dialog.tsx'
import { useAction } from '../../data/api.ts'
import { levels, useSession } from '../../data/session.ts'
import { grantableRoles, type MemberPlace } from '../member/roles.ts'
import { type Scope, scopes, type TokenScope, tokenScopes } from './scopes.ts'
import { texts } from './texts.ts'
import { EndField, ScopesField } from './token-fields.tsx'

/** Values that the form for a new token begins with. */
interface TokenPreset<Scope> {
  name?: string
  scopes: readonly Scope[]
}

interface Props<Scope, Issued> {
  preset?: TokenPreset<Scope>
  onClose: () => void
  onIssued: (issued: Issued) => void
}

export type IssuedBotToken = ResponseOf<'POST /projects/{id}/access_tokens'>
export type IssuedToken = ResponseOf<'POST /-/personal_access_tokens'>

/** Default lifetimes in days: bots work for longer than people experiment. */
export const [botDays, personalDays] = [90, 30]

/** Dialog that creates an access token of a project or group. */
export function CreateBotToken({
  place,
  preset = { scopes: ['write_security_reports'] },
  onClose,
  onIssued,
}: Props<TokenScope, IssuedBotToken> & { place: MemberPlace }) {
  const [role, setRole] = useState(String(levels.developer))
  const action = useAction(`POST /${place.noun}s/{id}/access_tokens`, {
    showsErrors: true,
    onDone(issued) {
      onIssued(issued)
      onClose()
    },
  })
  return (
    <TokenForm
      action={action}
      scopes={tokenScopes}
      preset={preset}
      days={botDays}
      example={texts.pipeline}
      onClose={onClose}
      onSubmit={(draft) => {
        const accessLevel = Number(role) as 30 // one of the roles
        action.mutate({ path: { id: place.id }, body: { ...draft, access_level: accessLevel } })
      }}
    >
      <SelectField label={texts.role} choices={grantableRoles(place)} value={role} onChoose={setRole} />
    </TokenForm>
  )
}

/** Dialog that creates an access token of the user. */
export function CreatePersonalToken({ preset = { scopes: [] }, onClose, onIssued }: Props<Scope, IssuedToken>) {
  const { is_administrator: isAdministrator } = useSession()
  const action = useAction('POST /-/personal_access_tokens', {
    showsErrors: true,
    onDone(issued) {
      onIssued(issued)
      onClose()
    },
  })
  return (
    <TokenForm
      action={action}
      scopes={scopes.filter(({ isForAdmins }) => isAdministrator || !isForAdmins)}
      preset={preset}
      days={personalDays}
      example={texts.nightlyScan}
      onClose={onClose}
      onSubmit={(body) => action.mutate({ body })}
    />
  )
}

interface TokenDraft<Scope> {
  name: string
  description?: string
  expires_at: string
  scopes: Scope[]
}

function TokenForm<Scope extends string>({
  action,
  scopes,
  preset,
  days,
  example,
  onClose,
  onSubmit,
  children,
}: {
  action: { error: Error | null; isPending: boolean }
  scopes: readonly { name: Scope; meaning: string }[]
  preset: TokenPreset<Scope>
  /** Number of days until the token expires, unless the user chooses another date. */
  days: number
  /** Example of a name. */
  example: string
  onClose: () => void
  onSubmit: (draft: TokenDraft<Scope>) => void
  /** Further fields. */
  children?: ReactNode
}) {
  const [chosen, setChosen] = useState(preset.scopes)
  const [missing, setMissing] = useState('')
  function submit(text: (name: string) => string) {
    if (chosen.length === 0) return setMissing(texts.selectAtLeastOne)
    setMissing('')
    const description = text('description')
    const draft = { name: text('name'), expires_at: text('expires_at'), scopes: [...chosen] }
    onSubmit({ ...draft, ...(description && { description }) })
  }
  return (
    <Dialog isOpen onClose={onClose} title={texts.newAccessToken}>
      <ActionForm
        action={action}
        fields={['name', 'expires_at']}
        submit={texts.createToken}
        problem={missing}
        onCancel={onClose}
        onSubmit={submit}
      >
        <TextField
          label={texts.name}
          name="name"
          required
          autoComplete="off"
          defaultValue={preset.name}
          hint={texts.forExample(example)}
        />
        <TextField label={texts.description} name="description" autoComplete="off" />
        <EndField days={days} />
        {children}
        <ScopesField scopes={scopes} chosen={chosen} onChange={setChosen} />
      </ActionForm>
    </Dialog>
  )
}
