import { useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { LinkButton } from '../../components/button.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { TextField } from '../../components/form/field.tsx'
import { ForWriters } from '../../components/form/for-writers.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { api, queries } from '../../data/api.ts'
import { createKeyring } from '../../data/idempotency-keys.ts'
import { useSession } from '../../data/session.ts'
import { useToast } from '../../data/toasts.ts'
import { AccountFields, accountFieldNames, readAccountFields } from './account-fields.tsx'
import styles from './admin.module.css'
import { type PasswordLink, PasswordLinkDialog } from './password-link.tsx'
import { texts } from './texts.ts'

/** Form for a new user, with a password or a one-time link to set one. */
export function NewUser() {
  const [, navigate] = useLocation()
  const toast = useToast()
  const { passwords: hasPasswords } = useSession()
  const [way, setWay] = useState<'link' | 'password' | 'provider'>(hasPasswords ? 'link' : 'provider')
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setBusy] = useState(false)
  const keyring = useRef(createKeyring())
  const [made, setMade] = useState<{ id: number; link: PasswordLink }>()

  async function create(form: HTMLFormElement) {
    setBusy(true)
    setError(null)
    try {
      const password = String(new FormData(form).get('password') ?? '')
      const start = way === 'password' ? { password } : { force_random_password: true }
      const request = { body: { ...readAccountFields(form), ...start } }
      const { id, name } = await keyring.current.use(JSON.stringify(request), (idempotencyKey) =>
        api.call('POST /users', request, { idempotencyKey }),
      )
      void queries.invalidateQueries()
      if (way !== 'link') {
        toast({ text: texts.userCreated(name) })
        navigate(`/-/admin/users/${id}`)
      } else {
        const link = await api.call('POST /users/{id}/password_links', { path: { id } }).catch((problem: Error) => {
          toast({ text: texts.userCreatedButGenerating(name, problem.message), kind: 'error' })
        })
        if (link) setMade({ id, link })
        else navigate(`/-/admin/users/${id}`)
      }
    } catch (problem) {
      // The client throws only errors.
      setError(problem as Error) // always an Error
    }
    setBusy(false)
  }

  return (
    <Page title={texts.newUser} crumbs={[{ label: texts.users, to: '/-/admin/users' }]}>
      <ForWriters>
        <Panel>
          <ActionForm
            action={{ error, isPending: isBusy }}
            fields={[...accountFieldNames, 'password']}
            submit={texts.createUser}
            aside={
              <LinkButton kind="quiet" to="/-/admin/users">
                {texts.cancel}
              </LinkButton>
            }
            onSubmit={(_, form) => void create(form)}
          >
            <AccountFields />
            {hasPasswords && (
              <fieldset className={styles.choices}>
                <legend>{texts.initialSignIn}</legend>
                <label className={styles.choice}>
                  <input type="radio" name="way" checked={way === 'link'} onChange={() => setWay('link')} />
                  {texts.sendAOneTime}
                </label>
                <label className={styles.choice}>
                  <input type="radio" name="way" checked={way === 'password'} onChange={() => setWay('password')} />
                  {texts.setAPasswordNow}
                </label>
              </fieldset>
            )}
            {way === 'password' && (
              <TextField
                label={texts.password}
                name="password"
                type="password"
                autoComplete="new-password"
                required
                minLength={8}
                maxLength={128}
                hint={texts.n8To128Characters}
              />
            )}
          </ActionForm>
        </Panel>
      </ForWriters>
      <PasswordLinkDialog link={made?.link} onClose={() => made && navigate(`/-/admin/users/${made.id}`)} />
    </Page>
  )
}
