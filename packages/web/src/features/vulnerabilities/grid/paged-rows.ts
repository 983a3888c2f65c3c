import type { Page } from '@alcove/client'
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { counted } from '../../../components/format.ts'
import type { RowSource } from '../../../nouns/vulnerability/row-source.ts'
import { texts } from '../texts.ts'
import { countKey, headQuery, pageQuery, rowsKey, rowsPerPage } from './row-queries.ts'
import { storedPlace } from './stored-place.ts'

export interface PagedRows<Row> {
  /** Id of the shown list. */
  id: string
  /** Number of rows; if unknown, the number of rows loaded so far plus one page. */
  length: number
  isCounted: boolean
  /** Returns a row; undefined while it loads. */
  rowAt: (index: number) => Row | undefined
  /** Returns the index of a row in the loaded pages near `near`; -1 if it is not there. */
  indexOf: (isIt: (row: Row) => boolean, near: number) => number
  /** Returns the latest loaded versions of these rows. */
  newestOf: (rows: readonly Row[]) => Row[]
  /** True while pages are refetched. Until all are loaded, a row may be on two pages or on none. */
  isRefreshing: boolean
  /** Reports which rows are needed. */
  show: (first: number, last: number) => void
  /** True while the rows of a new filter load and those of the previous one are shown. */
  isOutdated: boolean
  error: Error | null
  retry: () => void
  isLoading: boolean
}

/** Debounce of page requests, which skips pages during fast scrolling. */
const restMs = 40
/** Maximum distance at which a row is found after rows were added or removed. */
const maxMove = 200
const noPages = { first: 1, last: 0 }

/** Loads the pages in view, for the newest list whose first rows are loaded. */
export function usePagedRows<Row extends { id: number }>(wanted: RowSource<Row>): PagedRows<Row> {
  const client = useQueryClient()
  const [shown, setShown] = useState(wanted)
  const first = useQuery(headQuery(wanted))
  if (first.data && shown.id !== wanted.id) setShown(wanted)
  const loaded = <Data>({ queryKey }: { queryKey: unknown[] }) => client.getQueryData<Data>(queryKey)
  const head = loaded<Page<Row>>(headQuery(shown))
  const rowAt = (index: number) =>
    head?.rows[index] ?? loaded<Page<Row>>(pageQuery(shown, pageOf(index)))?.rows[index % rowsPerPage]

  const [range, setRange] = useState(noPages)
  const pages = Array.from({ length: range.last - range.first + 1 }, (_, index) => range.first + index)
  const found = useQueries({ queries: pages.map((page) => pageQuery(shown, page)) })
  const { count } = shown
  const counted = useQuery({
    queryKey: [countKey, shown.id],
    queryFn: ({ signal }) => count?.(signal) ?? null,
    enabled: head?.total === undefined && head?.hasNext === true && count !== undefined,
  })
  const total = head?.total ?? (head?.hasNext === false ? head.rows.length : (counted.data ?? undefined))

  // Without a total, the length grows with the loaded pages.
  const [seen, setSeen] = useState({ id: shown.id, rows: 0 })
  const reached = Math.max(endOf(head, 1), ...found.map(({ data }, index) => endOf(data, pages[index] ?? 1)))
  const soFar = seen.id === shown.id ? Math.max(seen.rows, reached) : reached
  if (seen.id !== shown.id || seen.rows !== soFar) setSeen({ id: shown.id, rows: soFar })
  // After going back to a far row, the list is as long as it was.
  const length = total ?? Math.max(soFar, storedPlace(shown.id)?.length ?? 0)

  const [view, setView] = useState({ first: 0, last: 0 })
  const last = Math.min(view.last, length - 1)
  const next =
    last < (head?.rows.length ?? 0) ? noPages : { first: pageOf(Math.min(view.first, last)), last: pageOf(last) }
  useEffect(() => {
    const timer = setTimeout(() => setRange({ first: next.first, last: next.last }), restMs)
    return () => clearTimeout(timer)
  }, [next.first, next.last])

  return {
    id: shown.id,
    length,
    isCounted: total !== undefined,
    rowAt,
    indexOf: (isIt, near) => {
      for (let step = 0; step <= maxMove; step++) {
        for (const index of [near - step, near + step]) {
          const row = index >= 0 ? rowAt(index) : undefined
          if (row && isIt(row)) return index
        }
      }
      return -1
    },
    newestOf: (rows) => {
      const pages = client.getQueriesData<Page<Row>>({ queryKey: [rowsKey, shown.id] })
      const newest = new Map(pages.flatMap(([, page]) => page?.rows ?? []).map((row) => [row.id, row]))
      return rows.map((row) => newest.get(row.id) ?? row)
    },
    isRefreshing: first.isFetching || found.some(({ isFetching }) => isFetching),
    show: (first, last) =>
      setView((before) => (before.first === first && before.last === last ? before : { first, last })),
    isOutdated: shown.id !== wanted.id,
    error: first.data ? null : first.error,
    retry: () => void first.refetch(),
    isLoading: head === undefined,
  }
}

/** Returns the rows with a change applied to each. The change must return the same object for an unchanged row. */
export function mapRows<Row>(rows: PagedRows<Row>, change: (row: Row) => Row): PagedRows<Row> {
  return {
    ...rows,
    rowAt: (index) => {
      const row = rows.rowAt(index)
      return row && change(row)
    },
    newestOf: (wanted) => rows.newestOf(wanted).map(change),
  }
}

const pageOf = (index: number) => Math.floor(Math.max(0, index) / rowsPerPage) + 1

function endOf(page: Page<unknown> | undefined, number: number): number {
  if (!page || page.rows.length === 0) return 0
  return (number - 1) * rowsPerPage + page.rows.length + (page.hasNext ? rowsPerPage : 0)
}

/** Formats the length: `12 findings`, or `More than 300 findings` without a total. */
export function lengthInWords(
  { length, isCounted }: Pick<PagedRows<unknown>, 'length' | 'isCounted'>,
  one: string,
  many?: string,
): string {
  return isCounted ? counted(length, one, many) : texts.moreThan(counted(length - rowsPerPage, one, many))
}
