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
import { texts } from './texts.ts'
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
      title={texts.tokens}
      actions={
        !isReadOnly && (
          <Button size="small" icon={Plus} onClick={() => setOpen(true)}>
            {texts.createToken}
          </Button>
        )
      }
    >
      <QueryResult query={query}>
        {(page) =>
          page.rows.length === 0 ? (
            <p className="muted">{texts.noTokens}</p>
          ) : (
            <>
              <TokenTable tokens={page.rows} isReadOnly={isReadOnly} />
              {page.hasNext && (
                <div>
                  <LinkButton size="small" to={`/-/admin/tokens?user=${encodeURIComponent(user.username)}`}>
                    {texts.viewAll}
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
  { name: 'api', hint: texts.fullReadWriteApi },
  { name: 'read_api', hint: texts.readOnlyApiAccess },
  { name: 'write_security_reports', hint: texts.sendSecurityReportsAndNothing },
  { name: 'read_user', hint: texts.readOnlyAccessToUser },
  { name: 'self_rotate', hint: texts.rotateItselfBeforeItExpires },
  { name: 'sudo', hint: texts.performActionsAsAny },
  { name: 'admin_mode', hint: texts.performAdministrativeActionsWhen },
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
        title={texts.tokenCreated(issued.name)}
        lead={texts.copyTokenNowItIsNotShown}
      >
        <p className={styles.secret}>{issued.token}</p>
        <DialogActions>
          <CopyButton text={issued.token} label={texts.copyToken} size="normal" />
          <Button kind="primary" onClick={close}>
            {texts.done}
          </Button>
        </DialogActions>
      </Dialog>
    )
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title={texts.createTokenFor(user.name)}>
      <ActionForm
        action={issue}
        fields={['name', 'expires_at']}
        submit={texts.createToken}
        onCancel={close}
        onSubmit={(_, form) => submit(form)}
      >
        <TextField label={texts.name} name="name" required />
        <TextField label={texts.expirationDate} name="expires_at" type="date" hint={texts.theTokenExpiresAtTheStart} />
        <fieldset className={styles.choices}>
          <legend>{texts.scopes}</legend>
          {offered.map(({ name, hint }) => (
            <CheckField key={name} label={<code>{name}</code>} name={`scope ${name}`} hint={hint} />
          ))}
        </fieldset>
      </ActionForm>
    </Dialog>
  )
}
