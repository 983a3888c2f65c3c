import { FolderGit2 } from 'lucide-react'
import { usePage } from '../../app/api.ts'
import { useSession } from '../../app/session.ts'
import { CheckField, SelectField } from '../../components/field.tsx'
import { Page } from '../../components/page.tsx'
import { Pager, usePageNumber } from '../../components/pager.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { useSearchState } from '../../components/search-state.ts'
import { Answered, Empty } from '../../components/states.tsx'
import { asProject } from '../project/project.ts'
import { ProjectList } from './project-list.tsx'

const perPage = 20
const orders = [
  { value: 'last_activity_at', label: 'Last activity' },
  { value: 'created_at', label: 'Newest' },
  { value: 'name', label: 'Name' },
  { value: 'star_count', label: 'Most stars' },
] as const
type Order = (typeof orders)[number]['value']
const visibilities = [
  { value: '', label: 'Any visibility' },
  { value: 'public', label: 'Public' },
  { value: 'internal', label: 'Internal' },
  { value: 'private', label: 'Private' },
] as const
type Visibility = (typeof visibilities)[number]['value']

/** Projects that the reader may see. */
export function Projects() {
  const { user } = useSession()
  const [state, set] = useSearchState(['search', 'membership', 'starred', 'visibility', 'order', 'topic'])
  const page = usePageNumber()
  const order = orders.find(({ value }) => value === state.order)?.value ?? 'last_activity_at'
  const visibility = visibilities.find(({ value }) => value === state.visibility)?.value ?? ''
  const query = usePage('GET /projects', {
    query: {
      search: state.search,
      search_namespaces: true,
      membership: state.membership === 'true' || undefined,
      starred: state.starred === 'true' || undefined,
      visibility: visibility || undefined,
      topic: state.topic ? [state.topic] : undefined,
      order_by: order,
      sort: order === 'name' ? 'asc' : 'desc',
      page,
      per_page: perPage,
    },
  })
  return (
    <Page title={state.membership === 'true' ? 'Your projects' : 'Projects'}>
      <search className="row-wrap">
        <SearchField
          label="Search projects"
          value={state.search ?? ''}
          onSearch={(search) => set({ search }, { isReplacing: true })}
        />
        {user && (
          <>
            <CheckField
              label="Mine"
              checked={state.membership === 'true'}
              onChange={({ target }) => set({ membership: target.checked ? 'true' : undefined })}
            />
            <CheckField
              label="Starred"
              checked={state.starred === 'true'}
              onChange={({ target }) => set({ starred: target.checked ? 'true' : undefined })}
            />
            <div>
              <SelectField<Visibility>
                label="Visibility"
                isLabelHidden
                choices={visibilities}
                value={visibility}
                onChoose={(chosen) => set({ visibility: chosen })}
              />
            </div>
          </>
        )}
        <div className="push">
          <SelectField<Order>
            label="Order"
            isLabelHidden
            choices={orders}
            value={order}
            onChoose={(chosen) => set({ order: chosen === 'last_activity_at' ? undefined : chosen })}
          />
        </div>
      </search>
      <Answered query={query}>
        {(found) =>
          found.rows.length === 0 ? (
            <Empty icon={FolderGit2} title="No projects here">
              <p>{state.search ? 'None that you may see has these words.' : 'None that you may see is like this.'}</p>
            </Empty>
          ) : (
            <div className="stack">
              <ProjectList projects={found.rows.map(asProject)} />
              <Pager page={found} perPage={perPage} />
            </div>
          )
        }
      </Answered>
    </Page>
  )
}
