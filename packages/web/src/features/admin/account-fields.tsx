import { CheckField, TextArea, TextField } from '../../components/field.tsx'
import styles from './admin.module.css'
import type { ShownUser } from './user.ts'

/** What can be said of an account, whether it is there already or not. `readAccountFields` reads it back. */
export function AccountFields({
  account,
  problems,
}: {
  account?: ShownUser
  problems: Readonly<Record<string, string | undefined>>
}) {
  return (
    <>
      <div className={styles.pair}>
        <TextField label="Name" name="name" required defaultValue={account?.name} error={problems['name']} />
        <TextField
          label="Username"
          name="username"
          required
          autoComplete="off"
          defaultValue={account?.username}
          hint="Letters, digits, -, _ and dots."
          error={problems['username']}
        />
      </div>
      <TextField
        label="E-mail address"
        name="email"
        type="email"
        required
        autoComplete="off"
        defaultValue={account?.email}
        error={problems['email']}
      />
      <div className="stack-tight">
        <CheckField
          label="Administrator"
          name="admin"
          defaultChecked={account?.is_admin === true}
          hint="May do everything on this server, and comes here."
        />
        <CheckField
          label="External"
          name="external"
          defaultChecked={account?.external === true}
          hint="Sees internal projects only as a member."
        />
        <CheckField
          label="May create groups"
          name="can_create_group"
          defaultChecked={account?.can_create_group !== false}
        />
      </div>
      <TextField
        label="Projects of his own, at most"
        name="projects_limit"
        type="number"
        min={0}
        required
        defaultValue={account?.projects_limit ?? 100_000}
        error={problems['projects_limit']}
      />
      <TextArea
        label="Note"
        name="note"
        rows={3}
        defaultValue={account?.note ?? ''}
        hint="For administrators only."
        error={problems['note']}
      />
    </>
  )
}

/** What the fields hold, as the API takes it. */
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
