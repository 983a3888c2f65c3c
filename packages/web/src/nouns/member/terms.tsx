import { SelectField, TextField } from '../../components/form/field.tsx'
import { type levels, useSession } from '../../data/session.ts'
import { grantableRoles, type MemberPlace, meaningOf } from './roles.ts'
import { texts } from './texts.ts'

/** Role and expiration date of a membership. */
export interface Terms {
  level: number
  /** YYYY-MM-DD, or '' for none. */
  until: string
}

export function bodyOf({ level, until }: Terms) {
  const role = level as (typeof levels)[keyof typeof levels] // a choice of the field, or a level that the server returned
  return { access_level: role, expires_at: until || null }
}

export const termsFieldNames = ['access_level', 'expires_at']

export function TermsFields({
  place,
  terms,
  onChange,
}: {
  place: MemberPlace
  terms: Terms
  onChange: (terms: Terms) => void
}) {
  const session = useSession()
  return (
    <>
      <SelectField
        label={texts.role}
        choices={grantableRoles(place)}
        value={String(terms.level)}
        onChoose={(level) => onChange({ ...terms, level: Number(level) })}
        hint={meaningOf(terms.level, session)}
        name="access_level"
      />
      <TextField
        label={texts.expirationDate}
        type="date"
        value={terms.until}
        min={new Date().toISOString().slice(0, 10)}
        onChange={({ target }) => onChange({ ...terms, until: target.value })}
        hint={texts.accessEndsAtTheStart}
        name="expires_at"
      />
    </>
  )
}
