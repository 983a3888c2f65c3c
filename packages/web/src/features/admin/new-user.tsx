import { type FormEvent, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { Button, LinkButton } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { ForWriters } from '../../components/for-writers.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { Problem, problemsOf } from '../../components/problem.tsx'
import { api, queries } from '../../data/api.ts'
import { createKeyring } from '../../data/idempotency-keys.ts'
import { useToast } from '../../data/toasts.ts'
import { AccountFields, readAccountFields } from './account-fields.tsx'
import styles from './admin.module.css'
import { type PasswordLink, PasswordLinkDialog } from './password-link.tsx'

/** Form for a new user, with a password or a one-time link to set one. */
export function NewUser() {
  const [, navigate] = useLocation()
  const toast = useToast()
  const [way, setWay] = useState<'link' | 'password'>('link')
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const keyring = useRef(createKeyring())
  const [made, setMade] = useState<{ id: number; link: PasswordLink }>()
  const { fields: problems, rest } = problemsOf(error ?? null, [
    'name',
    'username',
    'email',
    'projects_limit',
    'note',
    'password',
  ])

  async function create(form: HTMLFormElement) {
    setBusy(true)
    setError(undefined)
    try {
      const password = String(new FormData(form).get('password') ?? '')
      const start = way === 'password' ? { password } : { force_random_password: true }
      const request = { body: { ...readAccountFields(form), ...start } }
      const { id, name } = await keyring.current.use(JSON.stringify(request), (idempotencyKey) =>
        api.call('POST /users', request, { idempotencyKey }),
      )
      void queries.invalidateQueries()
      if (way === 'password') {
        toast({ text: `User ${name} created.` })
        navigate(`/-/admin/users/${id}`)
      } else {
        const link = await api.call('POST /users/{id}/password_links', { path: { id } }).catch((problem: Error) => {
          toast({ text: `User ${name} created, but generating the link failed: ${problem.message}`, kind: 'error' })
        })
        if (link) setMade({ id, link })
        else navigate(`/-/admin/users/${id}`)
      }
    } catch (problem) {
      // The client throws only errors.
      setError(problem as Error)
    }
    setBusy(false)
  }

  return (
    <Page title="New user" crumbs={[{ label: 'Users', to: '/-/admin/users' }]}>
      <ForWriters>
        <Panel>
          <form
            className={styles.form}
            onSubmit={(event: FormEvent<HTMLFormElement>) => {
              event.preventDefault()
              void create(event.currentTarget)
            }}
          >
            <AccountFields problems={problems} />
            <fieldset className={styles.choices}>
              <legend>Initial sign-in</legend>
              <label className={styles.choice}>
                <input type="radio" name="way" checked={way === 'link'} onChange={() => setWay('link')} />
                Send a one-time link to set a password
              </label>
              <label className={styles.choice}>
                <input type="radio" name="way" checked={way === 'password'} onChange={() => setWay('password')} />
                Set a password now
              </label>
            </fieldset>
            {way === 'password' && (
              <TextField
                label="Password"
                name="password"
                type="password"
                autoComplete="new-password"
                required
                minLength={8}
                maxLength={128}
                hint="8 to 128 characters."
                error={problems['password']}
              />
            )}
            <Problem text={rest} />
            <div className="row">
              <Button type="submit" kind="primary" isBusy={isBusy}>
                Create user
              </Button>
              <LinkButton kind="quiet" to="/-/admin/users">
                Cancel
              </LinkButton>
            </div>
          </form>
        </Panel>
      </ForWriters>
      <PasswordLinkDialog link={made?.link} onClose={() => made && navigate(`/-/admin/users/${made.id}`)} />
    </Page>
  )
}
