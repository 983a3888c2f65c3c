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
import { UserBadges } from './user-badges.tsx'

const perPage = 50
const filters = [
  { value: '', label: 'All users' },
  { value: 'active', label: 'Active' },
  { value: 'blocked', label: 'Blocked' },
  { value: 'banned', label: 'Banned' },
  { value: 'deactivated', label: 'Deactivated' },
  { value: 'admins', label: 'Administrators' },
  { value: 'external', label: 'External' },
] as const

const orders = [
  { value: 'id', label: 'Newest first' },
  { value: 'name', label: 'Name' },
  { value: 'username', label: 'Username' },
  { value: 'updated_at', label: 'Last updated' },
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
      title="Users"
      actions={
        mayWrite(session) && (
          <LinkButton kind="primary" icon={Plus} to="/-/admin/users/new">
            New user
          </LinkButton>
        )
      }
    >
      <search className="row-wrap">
        <SearchFilter label="Search users" placeholder="Name, username or full e-mail address" />
        <ChoiceFilter name="filter" label="Filter users" choices={filters} />
        <ChoiceFilter name="order" label="Sort by" choices={orders} />
      </search>
      <PagedTable
        label="Users"
        query={query}
        perPage={perPage}
        empty={{
          icon: People,
          title: 'No matching users',
          text: (
            <p>
              {state.search ? 'Search by name or username, or enter a full e-mail address.' : 'Choose another filter.'}
            </p>
          ),
        }}
        columns={[
          [
            'Name',
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
          ['E-mail address', ({ email }) => email],
          ['Status', (user) => <UserBadges user={user} />],
          ['Created', ({ created_at: at }) => at && <Time of={at} />, styles.nowrap],
        ]}
      />
    </Page>
  )
}
