import type { Page, QueryOf, RowOf } from '@alcove/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { FolderGit2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { SelectField } from '../../components/form/field.tsx'
import { SearchField } from '../../components/form/search-field.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Empty } from '../../components/page/states.tsx'
import { useSearchState } from '../../data/search-state.ts'
import { asProject } from './project.ts'
import { ProjectList } from './project-list.tsx'

const perPage = 20
const orders = [
  { value: 'last_activity_at', label: 'Last activity' },
  { value: 'created_at', label: 'Newest' },
  { value: 'name', label: 'Name' },
  { value: 'star_count', label: 'Most stars' },
] as const
type Order = (typeof orders)[number]['value']

/** Returns the query of a project list from the address: search, order and page. */
export function useProjectQuery(): QueryOf<'GET /groups/{id}/projects'> & { search?: string | undefined } {
  const [{ search, order }] = useSearchState(['search', 'order'])
  const page = usePageNumber()
  const by = orderFrom(order)
  return { search, order_by: by, sort: by === 'name' ? 'asc' : 'desc', page, per_page: perPage }
}

function orderFrom(name: string | undefined): Order {
  return orders.find(({ value }) => value === name)?.value ?? 'last_activity_at'
}

/** Search field and sort order of a project list, with filters between them. */
export function ProjectSearch({ label = 'Search projects', children }: { label?: string; children?: ReactNode }) {
  const [state, set] = useSearchState(['search', 'order'])
  return (
    <search className="row-wrap">
      <SearchField
        label={label}
        value={state.search ?? ''}
        onSearch={(search) => set({ search }, { isReplacing: true })}
      />
      {children}
      <div className="push">
        <SelectField<Order>
          label="Sort by"
          isLabelHidden
          choices={orders}
          value={orderFrom(state.order)}
          onChoose={(order) => set({ order: order === 'last_activity_at' ? undefined : order })}
        />
      </div>
    </search>
  )
}

/** Page of a project list. `children` is the text of an empty list without a search. */
export function FoundProjects({
  query,
  children,
}: {
  query: UseQueryResult<Page<RowOf<'GET /projects'>>, Error>
  children: ReactNode
}) {
  const [{ search }] = useSearchState(['search'])
  return (
    <PagedList
      query={query}
      perPage={perPage}
      empty={
        <Empty icon={FolderGit2} title="No projects">
          {search ? <p>No projects match your search.</p> : children}
        </Empty>
      }
    >
      {(rows) => <ProjectList projects={rows.map(asProject)} />}
    </PagedList>
  )
}
