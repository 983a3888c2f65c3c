import type { Page } from '@alcove/client'
import { type QueryClient, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { counted } from '../../../components/format.ts'
import { maxRows, type RowSource, rowsPerPage } from '../../../nouns/vulnerability/row-source.ts'

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
  /** Reports which rows are in view. */
  show: (first: number, last: number) => void
  /** True while the rows of a new filter load and those of the previous one are shown. */
  isOutdated: boolean
  error: Error | null
  retry: () => void
  isLoading: boolean
}

/** Debounce of page requests, which skips pages during fast scrolling. */
const restMs = 40
const pageKey = (id: string, page: number) => [rowsKey, id, page]
/** Prefix of the keys of all row queries. */
export const rowsKey = 'rows'

/** Loads the pages in view and their neighbours, for the newest list whose first page is loaded. */
export function usePagedRows<Row extends { id: number }>(wanted: RowSource<Row>): PagedRows<Row> {
  const client = useQueryClient()
  const [shown, setShown] = useState(wanted)
  const first = useQuery(pageQuery(wanted, 1))
  if (first.data && shown.id !== wanted.id) setShown(wanted)

  const [range, setRange] = useState({ first: 1, last: 1 })
  const pages = Array.from({ length: range.last - range.first + 1 }, (_, index) => range.first + index)
  const found = useQueries({ queries: pages.map((page) => pageQuery(shown, page)) })
  const head = client.getQueryData<Page<Row>>(pageKey(shown.id, 1))
  const { count } = shown
  const counted = useQuery({
    queryKey: ['count of rows', shown.id],
    queryFn: ({ signal }) => count?.(signal) ?? null,
    enabled: head?.total === undefined && head?.hasNext === true && count !== undefined,
  })
  const total = head?.total ?? (head?.hasNext === false ? head.rows.length : (counted.data ?? undefined))

  // Without a total, the length grows with the loaded pages.
  const [seen, setSeen] = useState({ id: shown.id, rows: 0 })
  const reached = Math.max(0, ...found.map(({ data }, index) => endOf(data, pages[index] ?? 1)))
  const soFar = seen.id === shown.id ? Math.max(seen.rows, reached) : Math.max(endOf(head, 1), reached)
  if (seen.id !== shown.id || seen.rows !== soFar) setSeen({ id: shown.id, rows: soFar })

  const [view, setView] = useState({ first: 0, last: 0 })
  const length = total ?? soFar
  const lastPage = Math.max(1, Math.ceil(Math.min(length, maxRows) / rowsPerPage))
  const [from, to] = [pageOf(view.first) - 1, pageOf(view.last) + 1]
  useEffect(() => {
    const next = { first: Math.min(Math.max(1, from), lastPage), last: Math.min(Math.max(1, to), lastPage) }
    const timer = setTimeout(
      () => setRange((before) => (before.first === next.first && before.last === next.last ? before : next)),
      restMs,
    )
    return () => clearTimeout(timer)
  }, [from, to, lastPage])

  return {
    id: shown.id,
    length,
    isCounted: total !== undefined,
    rowAt: (index) => rowIn(client, shown, index),
    indexOf: (isIt, near) => {
      for (let step = 0; step <= 2 * rowsPerPage; step++) {
        for (const index of [near - step, near + step]) {
          const row = index >= 0 ? rowIn(client, shown, index) : undefined
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
    isRefreshing: found.some(({ isFetching }) => isFetching),
    show: (first, last) =>
      setView((before) => (before.first === first && before.last === last ? before : { first, last })),
    isOutdated: shown.id !== wanted.id,
    error: first.data ? null : first.error,
    retry: () => void first.refetch(),
    isLoading: head === undefined,
  }
}

function pageQuery<Row>({ id, load }: RowSource<Row>, page: number) {
  return {
    queryKey: pageKey(id, page),
    queryFn: ({ signal }: { signal: AbortSignal }) => load(page, signal),
    gcTime: 60_000,
  }
}

const pageOf = (index: number) => Math.floor(index / rowsPerPage) + 1

function rowIn<Row>(client: QueryClient, { id }: RowSource<Row>, index: number): Row | undefined {
  return client.getQueryData<Page<Row>>(pageKey(id, pageOf(index)))?.rows[index % rowsPerPage]
}

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
  return isCounted ? counted(length, one, many) : `More than ${counted(length - rowsPerPage, one, many)}`
}
