import { type FormEvent, useState } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { type AvatarChange, AvatarPanel } from '../../components/form/avatar-field.tsx'
import { TextField } from '../../components/form/field.tsx'
import { Problem, problemsOf } from '../../components/form/problem.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { useAction } from '../../data/api.ts'
import { mayWrite, type SessionState, useSession, useUser } from '../../data/session.ts'
import { AccountTabs } from './account-tabs.tsx'
import { Browsers } from './browsers.tsx'
import { NewPasswordFields, RevokeTokensField } from './set-password.tsx'
import { TokenNotice } from './signed-in.tsx'
import { texts } from './texts.ts'

type User = NonNullable<SessionState['user']>

/** Profile page: name, password and active sessions. */
export function Profile() {
  const user = useUser()
  const session = useSession()
  return (
    <Page title={texts.profile}>
      <AccountTabs />
      <You user={user} />
      {mayWrite(session) && <OwnAvatar user={user} />}
      {session.passwords && <Password />}
      <Browsers />
    </Page>
  )
}

function You({ user }: { user: User }) {
  const session = useSession()
  return (
    <Panel
      title={texts.account}
      actions={
        <LinkButton size="small" kind="quiet" to={`/${user.username}`}>
          {texts.viewPublicProfile}
        </LinkButton>
      }
    >
      <div className="row">
        <Avatar name={user.name} url={user.avatar_url} size="large" />
        <div>
          <p>
            <strong>{user.name}</strong>
          </p>
          <p className="muted">@{user.username}</p>
          <p className="muted">{user.email}</p>
        </div>
      </div>
      {session.is_admin && mayWrite(session) ? (
        <Names user={user} />
      ) : (
        <p className="muted small">{texts.askAnAdministratorToChange}</p>
      )}
    </Panel>
  )
}

function OwnAvatar({ user }: { user: User }) {
  const [avatar, setAvatar] = useState<AvatarChange>()
  const action = useAction('PUT /user/avatar', {
    showsErrors: true,
    done: texts.avatarSaved,
    onDone: () => setAvatar(undefined),
  })
  return (
    <AvatarPanel
      name={user.name}
      current={user.avatar_url}
      avatar={avatar}
      onAvatar={setAvatar}
      action={action}
      onSave={(body) => action.mutate({ body })}
    />
  )
}

function Names({ user }: { user: User }) {
  const action = useAction('PUT /users/{id}', { showsErrors: true, done: texts.saved })
  return (
    <ActionForm
      action={action}
      fields={['name', 'email']}
      submit={texts.save}
      kind="plain"
      onSubmit={(text) => action.mutate({ path: { id: user.id }, body: { name: text('name'), email: text('email') } })}
    >
      <TextField label={texts.name} name="name" autoComplete="name" defaultValue={user.name} required />
      <TextField
        label={texts.eMailAddress}
        name="email"
        type="email"
        autoComplete="email"
        defaultValue={user.email}
        required
      />
    </ActionForm>
  )
}

function Password() {
  const { has_password: isByPassword, signed_in_with: method } = useSession()
  const [isDifferent, setDifferent] = useState(false)
  const [attempt, setAttempt] = useState(0)
  const action = useAction('PUT /-/password', {
    showsErrors: true,
    done: texts.passwordChangedAllOther,
    onDone: () => setAttempt(attempt + 1),
  })
  if (!isByPassword) {
    return (
      <Panel title={texts.password}>
        {method === 'token' ? <TokenNotice what={texts.toChangeYourPassword} /> : <p>{texts.youDidNotSign}</p>}
      </Panel>
    )
  }
  const { fields, rest } = problemsOf(action.error, ['current_password', 'password'])
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '')
    setDifferent(text('password') !== text('again'))
    if (text('password') !== text('again')) return
    const body = { current_password: text('current_password'), password: text('password') }
    action.mutate({ body: { ...body, revoke_tokens: form.get('revoke_tokens') === 'on' } })
  }
  return (
    <Panel title={texts.password}>
      <form className="form" key={attempt} onSubmit={submit}>
        <TextField
          label={texts.currentPassword}
          name="current_password"
          type="password"
          autoComplete="current-password"
          required
          error={fields['current_password'] && texts.incorrectPassword}
        />
        <NewPasswordFields
          problems={{ password: fields['password'], again: isDifferent ? texts.passwordsDoNotMatch : undefined }}
        />
        <RevokeTokensField />
        <Problem text={rest} />
        <div>
          <Button type="submit" isBusy={action.isPending}>
            {texts.changePassword}
          </Button>
        </div>
      </form>
    </Panel>
  )
}
