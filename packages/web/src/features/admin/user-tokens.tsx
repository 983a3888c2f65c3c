import type { AnswerOf } from '@alcove/client'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button, LinkButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { Problem, problemsOf } from '../../components/problem.tsx'
import { Answered } from '../../components/states.tsx'
import { useAction, usePage } from '../../data/api.ts'
import { useSession } from '../../data/session.ts'
import styles from './admin.module.css'
import { TokenTable } from './token-table.tsx'
import type { ShownUser } from './user.ts'

const mostShown = 10

/** The tokens of one user, newest first, and a new one. */
export function UserTokens({ user, isReadOnly }: { user: ShownUser; isReadOnly: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const query = usePage('GET /personal_access_tokens', {
    query: { user_id: user.id, sort: 'created_desc', per_page: mostShown },
  })
  return (
    <Panel
      title="Tokens"
      actions={
        !isReadOnly && (
          <Button size="small" icon={Plus} onClick={() => setOpen(true)}>
            Issue a token
          </Button>
        )
      }
    >
      <Answered query={query}>
        {(page) =>
          page.rows.length === 0 ? (
            <p className="muted">None.</p>
          ) : (
            <>
              <TokenTable tokens={page.rows} isReadOnly={isReadOnly} />
              {page.hasNext && (
                <div>
                  <LinkButton size="small" to={`/-/admin/tokens?user=${encodeURIComponent(user.username)}`}>
                    All of them
                  </LinkButton>
                </div>
              )}
            </>
          )
        }
      </Answered>
      <IssueToken user={user} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Panel>
  )
}

const scopes = [
  { name: 'api', hint: 'Everything that the user may do.' },
  { name: 'read_api', hint: 'Reading all that the user may read.' },
  { name: 'read_user', hint: 'Reading profiles.' },
  { name: 'self_rotate', hint: 'Replacing itself by a new one.' },
  { name: 'sudo', hint: 'Acting as anybody else. For administrators.' },
  { name: 'admin_mode', hint: 'Rights of an administrator, where admin mode is on.' },
] as const
type Scope = (typeof scopes)[number]['name']

function IssueToken({ user, isOpen, onClose }: { user: ShownUser; isOpen: boolean; onClose: () => void }) {
  const { admin_mode: hasAdminMode } = useSession()
  const [issued, setIssued] = useState<AnswerOf<'POST /users/{user_id}/personal_access_tokens'>>()
  const issue = useAction('POST /users/{user_id}/personal_access_tokens', { showsErrors: true, onDone: setIssued })
  const { fields: problems, rest } = problemsOf(issue.error, ['name', 'expires_at'])
  const offered = scopes.filter(
    ({ name }) => (name !== 'sudo' && name !== 'admin_mode') || (user.is_admin && (name === 'sudo' || hasAdminMode)),
  )
  function close() {
    setIssued(undefined)
    issue.reset()
    onClose()
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
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
        title={`The token ${issued.name}`}
        lead="It is shown this once. Keep it where only its user reads it."
      >
        <p className={styles.secret}>{issued.token}</p>
        <DialogActions>
          <CopyButton text={issued.token} label="Copy the token" size="normal" />
          <Button kind="primary" onClick={close}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    )
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title={`Issue a token to ${user.name}`}>
      <form className="stack" onSubmit={submit}>
        <TextField label="What it is for" name="name" required error={problems['name']} />
        <TextField
          label="Ends on"
          name="expires_at"
          type="date"
          hint="It stops working when that day begins. Without a date it ends in a year, which is the longest."
          error={problems['expires_at']}
        />
        <fieldset className={styles.choices}>
          <legend>What it may do</legend>
          {offered.map(({ name, hint }) => (
            <CheckField key={name} label={<code>{name}</code>} name={`scope ${name}`} hint={hint} />
          ))}
        </fieldset>
        <Problem text={rest} />
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={issue.isPending}>
            Issue
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
