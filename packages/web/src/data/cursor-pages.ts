import type { ListOperation, Request, RowOf } from '@alcove/client'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { api } from './api.ts'

/** Fetches the pages of a list with keyset pagination, one after the other. A refetch repeats all that are shown. */
export function useCursorPages<O extends ListOperation>(operation: O, request: Request<O>) {
  return useInfiniteQuery({
    queryKey: [operation, request, 'pages'],
    queryFn: ({ pageParam: cursor, signal }) =>
      api.page(
        operation,
        // Lists with keyset pagination have these parameters; the types of a request depend on the operation.
        {
          ...request,
          query: { ...(request.query as object | undefined), pagination: 'keyset', ...(cursor && { cursor }) },
        } as Request<O>,
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: keepPreviousData,
    select: ({ pages }): RowOf<O>[] => pages.flatMap(({ rows }) => rows),
  })
}
