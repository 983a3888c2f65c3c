import { CheckField, TextArea, TextField } from '../../components/form/field.tsx'
import styles from './admin.module.css'
import { texts } from './texts.ts'
import type { ShownUser } from './user.ts'

/** Fields of a new or existing account. `readAccountFields` reads their values. */
export function AccountFields({ account }: { account?: ShownUser }) {
  return (
    <>
      <div className={styles.pair}>
        <TextField label={texts.name} name="name" required defaultValue={account?.name} />
        <TextField
          label={texts.username}
          name="username"
          required
          autoComplete="off"
          defaultValue={account?.username}
          hint={texts.lettersDigitsAndDots}
        />
      </div>
      <TextField
        label={texts.eMailAddress}
        name="email"
        type="email"
        required
        autoComplete="off"
        defaultValue={account?.email}
      />
      <div className="stack-tight">
        <CheckField
          label={texts.administrator}
          name="admin"
          defaultChecked={account?.is_admin === true}
          hint={texts.fullAccessIncludingTheAdmin}
        />
        <CheckField
          label={texts.external}
          name="external"
          defaultChecked={account?.external === true}
          hint={texts.canViewInternalProjects}
        />
        <CheckField
          label={texts.canCreateGroups}
          name="can_create_group"
          defaultChecked={account?.can_create_group !== false}
        />
      </div>
      <TextField
        label={texts.personalProjectLimit}
        name="projects_limit"
        type="number"
        min={0}
        required
        defaultValue={account?.projects_limit ?? 100_000}
      />
      <TextArea
        label={texts.note}
        name="note"
        rows={3}
        defaultValue={account?.note ?? ''}
        hint={texts.visibleToAdministratorsOnly}
      />
    </>
  )
}

export const accountFieldNames = ['name', 'username', 'email', 'projects_limit', 'note']

/** Reads the fields into an API request body. */
export function readAccountFields(form: HTMLFormElement) {
  const fields = new FormData(form)
  const text = (name: string) => String(fields.get(name) ?? '').trim()
  return {
    name: text('name'),
    username: text('username'),
    email: text('email'),
    admin: fields.has('admin'),
    external: fields.has('external'),
    can_create_group: fields.has('can_create_group'),
    projects_limit: Number(text('projects_limit')),
    note: text('note') || null,
  }
}
