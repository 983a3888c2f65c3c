import { Users as People, Plus } from 'lucide-react'
import { Link } from 'wouter'
import { Avatar } from '../../components/avatar.tsx'
import { LinkButton } from '../../components/button.tsx'
import { SelectField } from '../../components/form/field.tsx'
import { SearchField } from '../../components/form/search-field.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Empty } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
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
type Filter = (typeof filters)[number]['value']

const orders = [
  { value: 'id', label: 'Newest first' },
  { value: 'name', label: 'Name' },
  { value: 'username', label: 'Username' },
  { value: 'updated_at', label: 'Last updated' },
] as const
type Order = (typeof orders)[number]['value']

/** List of all users. */
export function Users() {
  const session = useSession()
  const [state, set] = useSearchState(['search', 'filter', 'order'])
  const filter: Filter = filters.find(({ value }) => value === state.filter)?.value ?? ''
  const order: Order = orders.find(({ value }) => value === state.order)?.value ?? 'id'
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
        <SearchField
          label="Search users"
          placeholder="Name, username or full e-mail address"
          value={state.search ?? ''}
          onSearch={(search) => set({ search }, { isReplacing: true })}
        />
        <div>
          <SelectField<Filter>
            label="Filter users"
            isLabelHidden
            choices={filters}
            value={filter}
            onChoose={(value) => set({ filter: value || undefined })}
          />
        </div>
        <div>
          <SelectField<Order>
            label="Sort by"
            isLabelHidden
            choices={orders}
            value={order}
            onChoose={(value) => set({ order: value === 'id' ? undefined : value })}
          />
        </div>
      </search>
      <PagedList
        query={query}
        perPage={perPage}
        empty={
          <Empty icon={People} title="No matching users">
            <p>
              {state.search ? 'Search by name or username, or enter a full e-mail address.' : 'Choose another filter.'}
            </p>
          </Empty>
        }
      >
        {(rows) => (
          <Table label="Users" head={['Name', 'E-mail address', 'Status', 'Created']}>
            {rows.map((user) => (
              <tr key={user.id}>
                <td>
                  <div className={styles.person}>
                    <Avatar name={user.name} url={user.avatar_url} />
                    <div>
                      <Link to={`/-/admin/users/${user.id}`} className={styles.strong}>
                        {user.name}
                      </Link>
                      <p className="muted small">@{user.username}</p>
                    </div>
                  </div>
                </td>
                <td>{user.email}</td>
                <td>
                  <UserBadges user={user} />
                </td>
                <td className={styles.nowrap}>{user.created_at && <Time of={user.created_at} />}</td>
              </tr>
            ))}
          </Table>
        )}
      </PagedList>
    </Page>
  )
}
