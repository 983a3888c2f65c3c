import type { ResponseOf } from '@alcove/client'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button, LinkButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { CheckField, TextField } from '../../components/form/field.tsx'
import { Dialog, DialogActions } from '../../components/overlay/dialog.tsx'
import { Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { useAction, usePage } from '../../data/api.ts'
import { useSession } from '../../data/session.ts'
import styles from './admin.module.css'
import { TokenTable } from './token-table.tsx'
import type { ShownUser } from './user.ts'

const maxShown = 10

/** Newest tokens of a user, with a dialog to create one. */
export function UserTokens({ user, isReadOnly }: { user: ShownUser; isReadOnly: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const query = usePage('GET /personal_access_tokens', {
    query: { user_id: user.id, sort: 'created_desc', per_page: maxShown },
  })
  return (
    <Panel
      title="Tokens"
      actions={
        !isReadOnly && (
          <Button size="small" icon={Plus} onClick={() => setOpen(true)}>
            Create token
          </Button>
        )
      }
    >
      <QueryResult query={query}>
        {(page) =>
          page.rows.length === 0 ? (
            <p className="muted">No tokens.</p>
          ) : (
            <>
              <TokenTable tokens={page.rows} isReadOnly={isReadOnly} />
              {page.hasNext && (
                <div>
                  <LinkButton size="small" to={`/-/admin/tokens?user=${encodeURIComponent(user.username)}`}>
                    View all
                  </LinkButton>
                </div>
              )}
            </>
          )
        }
      </QueryResult>
      <IssueToken user={user} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Panel>
  )
}

const scopes = [
  { name: 'api', hint: 'Full read/write API access.' },
  { name: 'read_api', hint: 'Read-only API access.' },
  { name: 'write_security_reports', hint: 'Send security reports, and nothing else.' },
  { name: 'read_user', hint: 'Read-only access to user profiles.' },
  { name: 'self_rotate', hint: 'Rotate itself before it expires.' },
  { name: 'sudo', hint: 'Perform actions as any user. Administrators only.' },
  { name: 'admin_mode', hint: 'Perform administrative actions when admin mode is on.' },
] as const
type Scope = (typeof scopes)[number]['name']

function IssueToken({ user, isOpen, onClose }: { user: ShownUser; isOpen: boolean; onClose: () => void }) {
  const { admin_mode: hasAdminMode } = useSession()
  const [issued, setIssued] = useState<ResponseOf<'POST /users/{user_id}/personal_access_tokens'>>()
  const issue = useAction('POST /users/{user_id}/personal_access_tokens', { showsErrors: true, onDone: setIssued })
  const offered = scopes.filter(
    ({ name }) => (name !== 'sudo' && name !== 'admin_mode') || (user.is_admin && (name === 'sudo' || hasAdminMode)),
  )
  function close() {
    setIssued(undefined)
    issue.reset()
    onClose()
  }
  function submit(form: HTMLFormElement) {
    const fields = new FormData(form)
    const chosen: Scope[] = offered.flatMap(({ name }) => (fields.has(`scope ${name}`) ? name : []))
    issue.mutate({
      path: { user_id: user.id },
      body: {
        name: String(fields.get('name') ?? ''),
        expires_at: String(fields.get('expires_at') ?? '') || undefined,
        scopes: chosen,
      },
    })
  }
  if (issued) {
    return (
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title={`Token ${issued.name} created`}
        lead="Copy token now. It is not shown again. Send it to the user over a private channel."
      >
        <p className={styles.secret}>{issued.token}</p>
        <DialogActions>
          <CopyButton text={issued.token} label="Copy token" size="normal" />
          <Button kind="primary" onClick={close}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    )
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title={`Create token for ${user.name}`}>
      <ActionForm
        action={issue}
        fields={['name', 'expires_at']}
        submit="Create token"
        onCancel={close}
        onSubmit={(_, form) => submit(form)}
      >
        <TextField label="Name" name="name" required />
        <TextField
          label="Expiration date"
          name="expires_at"
          type="date"
          hint="The token expires at the start of this day (UTC). Default and maximum: one year."
        />
        <fieldset className={styles.choices}>
          <legend>Scopes</legend>
          {offered.map(({ name, hint }) => (
            <CheckField key={name} label={<code>{name}</code>} name={`scope ${name}`} hint={hint} />
          ))}
        </fieldset>
      </ActionForm>
    </Dialog>
  )
}
