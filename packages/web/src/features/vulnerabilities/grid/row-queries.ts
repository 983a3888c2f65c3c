import type { Page } from '@alcove/client'
import type { QueryClient } from '@tanstack/react-query'
import type { PageQuery, RowSource } from '../../../nouns/vulnerability/row-source.ts'

/** Number of rows of the first request, which fill a usual screen. */
const headRows = 20
export const rowsPerPage = 50
/** Number of rows that page numbers of the API reach, from the start of a list or from a cursor. */
const maxNumberedRows = 10_000

/** Prefix of the keys of all row queries. */
export const rowsKey = 'rows'
/** Prefix of the keys of the queries that count the rows of a list. */
export const countKey = 'count of rows'

interface Context {
  client: QueryClient
  signal: AbortSignal
}

/** First rows of a list, so that it is usable before a whole page is loaded. */
export function headQuery<Row>({ id, load }: RowSource<Row>) {
  return {
    queryKey: [rowsKey, id, 'head'],
    queryFn: ({ signal }: Context) => load({ page: 1, per_page: headRows }, signal),
    gcTime: 60_000,
    refetchOnWindowFocus: false, // see `useLiveRows`
  }
}

/** Page of a list, at any depth. */
export function pageQuery<Row>(source: RowSource<Row>, page: number) {
  return {
    queryKey: [rowsKey, source.id, page],
    async queryFn({ client, signal }: Context): Promise<Page<Row>> {
      const segment = Math.floor(((page - 1) * rowsPerPage) / maxNumberedRows)
      const start = await startOf(client, source, segment)
      if (!start) return { rows: [], total: undefined, hasNext: false, cursor: undefined }
      const number = page - (segment * maxNumberedRows) / rowsPerPage
      return source.load({ ...start, page: number, per_page: rowsPerPage }, signal)
    },
    gcTime: 60_000,
    refetchOnWindowFocus: false,
  }
}

type Start = Pick<PageQuery, 'cursor' | 'pagination'>

/**
 * Returns the start of the nth 10,000 rows; null beyond the end. One request for each 10,000 rows fetches the cursor of
 * the next ones.
 */
async function startOf<Row>(client: QueryClient, source: RowSource<Row>, segment: number): Promise<Start | null> {
  if (segment === 0) return {}
  return client.fetchQuery({
    queryKey: ['start of rows', source.id, segment],
    async queryFn(): Promise<Start | null> {
      const before = await startOf(client, source, segment - 1)
      const last = before && (await source.load({ ...before, page: maxNumberedRows, per_page: 1 }))
      return last?.cursor ? { pagination: 'keyset', cursor: last.cursor } : null
    },
  })
}
