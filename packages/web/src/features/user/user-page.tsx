import type { RowOf } from '@alcove/client'
import { Redirect } from 'wouter'
import { Avatar } from '../../components/avatar.tsx'
import { Badge } from '../../components/badge.tsx'
import { LinkButton } from '../../components/button.tsx'
import { Page } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { useSession } from '../../data/session.ts'
import { groupAddress } from '../../nouns/group/group.ts'
import { FoundProjects, ProjectSearch, useProjectQuery } from '../../nouns/project/project-search.tsx'
import { texts } from './texts.ts'
import styles from './user-page.module.css'

/** Page of a top-level name: shows a user, or redirects to the page of a group. */
export function TopPage({ name }: { name: string }) {
  const query = useApiQuery('GET /users', { query: { username: name } })
  return (
    <QueryResult query={query} isPage>
      {([user]) => (user ? <UserPage user={user} /> : <ToGroup name={name} />)}
    </QueryResult>
  )
}

function ToGroup({ name }: { name: string }) {
  const query = useApiQuery('GET /groups/{id}', { path: { id: name }, query: { with_projects: false } })
  return (
    <QueryResult query={query} isPage>
      {(group) => <Redirect to={groupAddress(group.full_path) + location.search} replace />}
    </QueryResult>
  )
}

function UserPage({ user }: { user: RowOf<'GET /users'> }) {
  const session = useSession()
  const isSelf = user.id === session.user?.id
  const query = usePage('GET /users/{id}/projects', { path: { id: user.id }, query: useProjectQuery() })
  return (
    <Page
      title={user.name}
      lead={
        <div className={styles.who}>
          <Avatar name={user.name} url={user.avatar_url} size="large" />
          <div className="stack-tight">
            <p className="row-wrap">
              @{user.username}
              {user.state !== 'active' && <Badge tone="warning">{user.state}</Badge>}
              {isSelf && <Badge tone="accent">{texts.you}</Badge>}
            </p>
            {user.bio && <p>{user.bio}</p>}
          </div>
        </div>
      }
      actions={
        <>
          {isSelf && <LinkButton to="/-/profile">{texts.yourProfile}</LinkButton>}
          {session.is_admin && <LinkButton to={`/-/admin/users/${user.id}`}>{texts.manage}</LinkButton>}
        </>
      }
    >
      <section className="stack" aria-label={texts.projects}>
        <h2>{texts.projects}</h2>
        <ProjectSearch label={texts.searchThisUsersProjects} />
        <FoundProjects query={query}>
          <p>{isSelf ? texts.youHaveNoPersonal : texts.hasNoPersonalProjects(user.name)}</p>
        </FoundProjects>
      </section>
    </Page>
  )
}
