import { CheckField, TextArea, TextField } from '../../components/form/field.tsx'
import styles from './admin.module.css'
import type { ShownUser } from './user.ts'

/** Fields of a new or existing account. `readAccountFields` reads their values. */
export function AccountFields({ account }: { account?: ShownUser }) {
  return (
    <>
      <div className={styles.pair}>
        <TextField label="Name" name="name" required defaultValue={account?.name} />
        <TextField
          label="Username"
          name="username"
          required
          autoComplete="off"
          defaultValue={account?.username}
          hint="Letters, digits, -, _ and dots."
        />
      </div>
      <TextField
        label="E-mail address"
        name="email"
        type="email"
        required
        autoComplete="off"
        defaultValue={account?.email}
      />
      <div className="stack-tight">
        <CheckField
          label="Administrator"
          name="admin"
          defaultChecked={account?.is_admin === true}
          hint="Full access, including the Admin area."
        />
        <CheckField
          label="External"
          name="external"
          defaultChecked={account?.external === true}
          hint="Can view internal projects only as a member."
        />
        <CheckField
          label="Can create groups"
          name="can_create_group"
          defaultChecked={account?.can_create_group !== false}
        />
      </div>
      <TextField
        label="Personal project limit"
        name="projects_limit"
        type="number"
        min={0}
        required
        defaultValue={account?.projects_limit ?? 100_000}
      />
      <TextArea
        label="Note"
        name="note"
        rows={3}
        defaultValue={account?.note ?? ''}
        hint="Visible to administrators only."
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
