import { Users as People, Plus } from 'lucide-react'
import { Link } from 'wouter'
import { Avatar } from '../../components/avatar.tsx'
import { LinkButton } from '../../components/button.tsx'
import { ChoiceFilter, SearchFilter, useChoice } from '../../components/form/filters.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { Time } from '../../components/time.tsx'
import { usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import styles from './admin.module.css'
import { texts } from './texts.ts'
import { UserBadges } from './user-badges.tsx'

const perPage = 50
const filters = [
  { value: '', label: texts.allUsers },
  { value: 'active', label: texts.active },
  { value: 'blocked', label: texts.blocked },
  { value: 'banned', label: texts.banned },
  { value: 'deactivated', label: texts.deactivated },
  { value: 'admins', label: texts.administrators },
  { value: 'external', label: texts.external },
] as const

const orders = [
  { value: 'id', label: texts.newestFirst },
  { value: 'name', label: texts.name },
  { value: 'username', label: texts.username },
  { value: 'updated_at', label: texts.lastUpdated },
] as const

/** List of all users. */
export function Users() {
  const session = useSession()
  const [state] = useSearchState(['search'])
  const filter = useChoice('filter', filters)
  const order = useChoice('order', orders)
  const query = usePage('GET /users', {
    query: {
      search: state.search,
      ...(filter && { [filter]: true }),
      order_by: order,
      sort: order === 'id' || order === 'updated_at' ? 'desc' : 'asc',
      page: usePageNumber(),
      per_page: perPage,
    },
  })
  return (
    <Page
      title={texts.users}
      actions={
        mayWrite(session) && (
          <LinkButton kind="primary" icon={Plus} to="/-/admin/users/new">
            {texts.newUser}
          </LinkButton>
        )
      }
    >
      <search className="row-wrap">
        <SearchFilter label={texts.searchUsers} placeholder={texts.nameUsernameOrFull} />
        <ChoiceFilter name="filter" label={texts.filterUsers} choices={filters} />
        <ChoiceFilter name="order" label={texts.sortBy} choices={orders} />
      </search>
      <PagedTable
        label={texts.users}
        query={query}
        perPage={perPage}
        empty={{
          icon: People,
          title: texts.noMatchingUsers,
          text: <p>{state.search ? texts.searchByNameOrUsername : texts.chooseAnotherFilter}</p>,
        }}
        columns={[
          [
            texts.name,
            (user) => (
              <div className={styles.person}>
                <Avatar name={user.name} url={user.avatar_url} />
                <div>
                  <Link to={`/-/admin/users/${user.id}`} className={styles.strong}>
                    {user.name}
                  </Link>
                  <p className="muted small">@{user.username}</p>
                </div>
              </div>
            ),
          ],
          [texts.eMailAddress, ({ email }) => email],
          [texts.status, (user) => <UserBadges user={user} />],
          [texts.created, ({ created_at: at }) => at && <Time of={at} />, styles.nowrap],
        ]}
      />
    </Page>
  )
}
