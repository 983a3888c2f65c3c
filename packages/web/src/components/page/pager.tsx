import type { Page } from '@alcove/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSearchState } from '../../data/search-state.ts'
import { Button } from '../button.tsx'
import { formatCount } from '../format.ts'
import { texts } from '../texts.ts'
import { QueryResult } from './states.tsx'

/** Page number in the address, and the name of the pagination. A second list on a page needs its own. */
export interface Paging {
  field: string
  label: string
}

const onlyList: Paging = { field: 'page', label: texts.pagination }

/** Pagination of a list; the address contains the page number. Renders nothing when there is only one page. */
export function Pager({
  page,
  perPage,
  paging: { field, label } = onlyList,
}: {
  page: Page<unknown>
  perPage: number
  paging?: Paging | undefined
}) {
  const [, set] = useSearchState([field])
  const number = usePageNumber(field)
  if (number === 1 && !page.hasNext) return null
  const first = (number - 1) * perPage + 1
  const last = first + page.rows.length - 1
  return (
    <nav aria-label={label} className="row-wrap">
      <span className="muted small numbers" aria-live="polite">
        {page.rows.length > 0 && `${formatCount(first)}–${formatCount(last)}`}
        {page.total !== undefined && texts.of(formatCount(page.total))}
      </span>
      <span className="row push">
        <Button
          size="small"
          icon={ChevronLeft}
          disabled={number <= 1}
          onClick={() => set({ [field]: number === 2 ? undefined : String(number - 1) })}
        >
          {texts.previous}
        </Button>
        <Button
          size="small"
          icon={ChevronRight}
          disabled={!page.hasNext}
          onClick={() => set({ [field]: String(number + 1) })}
        >
          {texts.next}
        </Button>
      </span>
    </nav>
  )
}

/** Renders a page of a list above its pagination, or `empty` when the list has no rows. */
export function PagedList<Row>({
  query,
  perPage,
  paging,
  empty,
  children,
}: {
  query: UseQueryResult<Page<Row>, Error>
  perPage: number
  paging?: Paging | undefined
  empty?: ReactNode
  children: (rows: readonly Row[], page: Page<Row>) => ReactNode
}) {
  return (
    <QueryResult query={query}>
      {(page) =>
        empty && page.rows.length === 0 ? (
          empty
        ) : (
          // The only list of a page is the target of a link in the shell.
          <div className="stack" {...(!paging && { id: 'results', tabIndex: -1 })}>
            {children(page.rows, page)}
            <Pager page={page} perPage={perPage} paging={paging} />
          </div>
        )
      }
    </QueryResult>
  )
}

/** Returns the page number from the address, 1 when it has none. */
export function usePageNumber(field = onlyList.field): number {
  const [found] = useSearchState([field])
  const number = Number(found[field])
  return Number.isInteger(number) && number > 0 ? number : 1
}
