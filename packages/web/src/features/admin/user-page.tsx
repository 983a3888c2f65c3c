import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../components/button.tsx'
import { fill } from '../../components/fill.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { ForWriters } from '../../components/form/for-writers.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, useApiQuery, usePage } from '../../data/api.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import { AccountFields, accountFieldNames, readAccountFields } from './account-fields.tsx'
import styles from './admin.module.css'
import { type PasswordLink, PasswordLinkDialog } from './password-link.tsx'
import { Placeholder } from './placeholder/placeholder.tsx'
import { texts } from './texts.ts'
import type { ShownUser } from './user.ts'
import { UserBadges } from './user-badges.tsx'
import { UserIdentities } from './user-identities.tsx'
import { UserStates } from './user-states.tsx'
import { UserTokens } from './user-tokens.tsx'
import { UserTwoFactor } from './user-two-factor.tsx'

/** Admin page of a user. */
export function UserPage({ id }: { id: string }) {
  const session = useSession()
  const query = useApiQuery('GET /users/{id}', { path: { id: Number(id) } })
  return (
    <QueryResult query={query} isPage>
      {(user) => (
        <Page
          title={user.name}
          crumbs={[{ label: texts.users, to: '/-/admin/users' }]}
          lead={
            <div className="row-wrap">
              <span>@{user.username}</span>
              <UserBadges user={user} />
              <span className="small">
                {fill(texts.created3, {
                  time: <Time of={user.created_at} />,
                  createdBy: user.created_by && texts.by(user.created_by.name),
                })}
              </span>
            </div>
          }
        >
          {mayWrite(session) && <Placeholder user={user} />}
          <ForWriters>
            <AccountForm key={user.id} user={user} />
          </ForWriters>
          {mayWrite(session) && session.passwords && <Password user={user} />}
          {mayWrite(session) && <UserTwoFactor user={user} />}
          {mayWrite(session) && <UserStates user={user} isYou={session.user?.id === user.id} />}
          <UserIdentities userId={user.id} />
          <UserTokens user={user} isReadOnly={!mayWrite(session)} />
          <Projects user={user} />
        </Page>
      )}
    </QueryResult>
  )
}

function AccountForm({ user }: { user: ShownUser }) {
  const change = useAction('PUT /users/{id}', { done: texts.accountUpdated, showsErrors: true })
  return (
    <Panel title={texts.account}>
      <ActionForm
        action={change}
        fields={accountFieldNames}
        submit={texts.save}
        onSubmit={(_, form) => change.mutate({ path: { id: user.id }, body: readAccountFields(form) })}
      >
        <AccountFields account={user} />
      </ActionForm>
    </Panel>
  )
}

function Password({ user }: { user: ShownUser }) {
  const [link, setLink] = useState<PasswordLink>()
  const make = useAction('POST /users/{id}/password_links', { onDone: setLink })
  return (
    <Panel title={texts.password}>
      <div className={styles.line}>
        <p>{texts.generatesASingleUse(user.name)}</p>
        <Button icon={KeyRound} isBusy={make.isPending} onClick={() => make.mutate({ path: { id: user.id } })}>
          {texts.generateLink}
        </Button>
      </div>
      <PasswordLinkDialog link={link} onClose={() => setLink(undefined)} />
    </Panel>
  )
}

const maxShown = 10

function Projects({ user }: { user: ShownUser }) {
  const query = usePage('GET /users/{id}/projects', { path: { id: user.id }, query: { per_page: maxShown } })
  return (
    <Panel title={texts.personalProjects}>
      <QueryResult query={query}>
        {({ rows, total, hasNext }) =>
          rows.length === 0 ? (
            <p className="muted">{texts.noPersonalProjects}</p>
          ) : (
            <div className="stack-tight">
              <ul>
                {rows.map((project) => (
                  <li key={project.id}>
                    <Link to={`/${project.path_with_namespace}`}>{project.path_with_namespace}</Link>
                  </li>
                ))}
              </ul>
              {hasNext && (
                <p className="muted small">
                  {total === undefined ? texts.andMore : texts.andMoreProject(total - rows.length)}
                </p>
              )}
            </div>
          )
        }
      </QueryResult>
    </Panel>
  )
}
