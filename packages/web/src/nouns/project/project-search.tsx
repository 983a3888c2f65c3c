import type { Page, QueryOf, RowOf } from '@alcove/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { FolderGit2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { ChoiceFilter, SearchFilter, useChoice } from '../../components/form/filters.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Empty } from '../../components/page/states.tsx'
import { useSearchState } from '../../data/search-state.ts'
import { asProject } from './project.ts'
import { ProjectList } from './project-list.tsx'
import { texts } from './texts.ts'

const perPage = 20
const orders = [
  { value: 'last_activity_at', label: texts.lastActivity },
  { value: 'created_at', label: texts.newest },
  { value: 'name', label: texts.name },
  { value: 'star_count', label: texts.mostStars },
] as const

/** Returns the query of a project list from the address: search, order and page. */
export function useProjectQuery(): QueryOf<'GET /groups/{id}/projects'> & { search?: string | undefined } {
  const [{ search }] = useSearchState(['search'])
  const page = usePageNumber()
  const by = useChoice('order', orders)
  return { search, order_by: by, sort: by === 'name' ? 'asc' : 'desc', page, per_page: perPage }
}

/** Search field and sort order of a project list, with filters between them. */
export function ProjectSearch({ label = texts.searchProjects, children }: { label?: string; children?: ReactNode }) {
  return (
    <search className="row-wrap">
      <SearchFilter label={label} />
      {children}
      <div className="push">
        <ChoiceFilter name="order" label={texts.sortBy} choices={orders} />
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
        <Empty icon={FolderGit2} title={texts.noProjects}>
          {search ? <p>{texts.noProjectsMatchYourSearch}</p> : children}
        </Empty>
      }
    >
      {(rows) => <ProjectList projects={rows.map(asProject)} />}
    </PagedList>
  )
}
