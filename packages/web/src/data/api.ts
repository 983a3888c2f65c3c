import {
  type CachedResponse,
  createClient,
  type ListOperation,
  type Operation,
  type Page,
  type Request,
  RequestFailed,
  type ResponseOf,
  type RowOf,
} from '@alcove/client'
import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQueries,
  useQuery,
} from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import { withConfirmation } from './confirmation.ts'
import { fetchOnce } from './early-responses.ts'
import { contentOf, createKeyring } from './idempotency-keys.ts'
import { useSearchState } from './search-state.ts'
import { store } from './store.ts'
import { useToast } from './toasts.ts'

/** Header that marks requests of our own pages: the server accepts the session cookie only with it. */
export const sessionHeaders = { 'x-alcove-session': '1' }
const cache = new Map<string, CachedResponse>()
export const api = createClient({ headers: sessionHeaders, cache, fetch: fetchOnce })

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: refetchSession }),
  mutationCache: new MutationCache({ onError: refetchAfterRejection }),
  defaultOptions: {
    // The browser may report that it is offline while the server is on the same network, so requests never wait for it.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 10_000,
      // The server would reject the same request again.
      retry: (count, error) => count < 2 && !(error instanceof RequestFailed && error.status < 500),
    },
  },
})

store.onReset(() => {
  queries.clear()
  cache.clear()
})

/** Refetches the session after a 401: the user was signed out in another tab, or blocked. */
function refetchSession(error: Error): void {
  if (isFailure(error, 401)) void queries.invalidateQueries({ queryKey: ['GET /-/session'] })
}

/** Refetches all shown data after an error that suggests that it, or the user's role, has changed. */
function refetchAfterRejection(error: Error): void {
  refetchSession(error)
  if ([403, 404, 409].some((status) => isFailure(error, status))) void queries.invalidateQueries()
}

export function isFailure(error: unknown, status: number): boolean {
  return error instanceof RequestFailed && error.status === status
}

interface QueryOptions<T> {
  /** False: the request is not sent (yet). */
  isEnabled?: boolean
  /** Polling interval, which may depend on the last response; false: no polling. */
  refetchMs?: number | false | ((response: T | undefined) => number | false)
}

interface PageOptions<T> extends QueryOptions<T> {
  /** Name of the page number in the address; default: `page`. A second list on a page needs its own. */
  pageField?: string
}

function intervalOf<T>(refetchMs: QueryOptions<T>['refetchMs'] = false) {
  return (query: { state: { data: unknown } }) =>
    typeof refetchMs === 'function' ? refetchMs(query.state.data as T | undefined) : refetchMs // the result of queryFn
}

function apiQuery<O extends Operation>(operation: O, request: Request<O>) {
  return {
    queryKey: [operation, request],
    queryFn: ({ signal }: { signal: AbortSignal }) => api.call(operation, request, { signal }),
  }
}

/** Starts a request before the component that shows its result is there. */
export function prefetch<O extends Operation>(operation: O, request: Request<O>): void {
  // The component that shows the result also shows an error.
  queries.ensureQueryData(apiQuery(operation, request)).catch(() => {})
}

export function useApiQuery<O extends Operation>(
  operation: O,
  request: Request<O>,
  { isEnabled = true, refetchMs }: QueryOptions<ResponseOf<O>> = {},
): UseQueryResult<ResponseOf<O>, Error> {
  return useQuery({
    ...apiQuery(operation, request),
    enabled: isEnabled,
    refetchInterval: intervalOf(refetchMs),
  }) as UseQueryResult<ResponseOf<O>, Error> // the library cannot infer that the type is not a function
}

/** Fetches several resources of one kind. Returns those that have arrived; the user may not see all of them. */
export function useApiQueries<O extends Operation>(operation: O, requests: readonly Request<O>[]): ResponseOf<O>[] {
  const found = useQueries({ queries: requests.map((request) => apiQuery(operation, request)) })
  // `apiQuery` returns the response of the operation.
  return found.flatMap(({ data }) => (data === undefined ? [] : [data as ResponseOf<O>]))
}

/**
 * Fetches one page of a list. While another page or filter loads, it returns the previous result. A page beyond the
 * last
 * one, such as after a deletion of all its rows, redirects to the last page.
 */
export function usePage<O extends ListOperation>(
  operation: O,
  request: Request<O>,
  { isEnabled = true, refetchMs, pageField = 'page' }: PageOptions<Page<RowOf<O>>> = {},
): UseQueryResult<Page<RowOf<O>>, Error> {
  const query = useQuery({
    queryKey: [operation, request, 'page'],
    queryFn: ({ signal }) => api.page(operation, request, signal),
    enabled: isEnabled,
    refetchInterval: intervalOf(refetchMs),
    placeholderData: keepPreviousData,
  })
  // Every list operation has these two parameters.
  useLastPage(pageField, request.query as PageQuery | undefined, query.isPlaceholderData ? undefined : query.data)
  return query
}

interface PageQuery {
  page?: number
  per_page?: number
}

function useLastPage(
  field: string,
  { page = 1, per_page: perPage = 20 }: PageQuery = {},
  found: Page<unknown> | undefined,
): void {
  const [, set] = useSearchState([field])
  const isBeyond = page > 1 && found?.rows.length === 0
  const last = Math.ceil((found?.total ?? 0) / perPage)
  useEffect(() => {
    if (isBeyond) set({ [field]: last > 1 ? String(last) : undefined }, { isReplacing: true })
  }, [field, isBeyond, last, set])
}

interface ActionOptions<O extends Operation> {
  /** Success message. */
  done?: string
  onDone?: (response: ResponseOf<O>, request: Request<O>) => void
  /** True: the form shows errors itself, so there is no toast. */
  showsErrors?: boolean
  /** Handles an error instead of a toast. */
  onFailed?: (error: Error) => void
  /** True: the action removes what the page shows, so `onDone` navigates away before queries are refetched. */
  isLeaving?: boolean
}

/** Returns true for operations that accept an idempotency key. Routes that check a password do not. */
function takesKey(operation: Operation): boolean {
  return operation.startsWith('POST ') && !operation.startsWith('POST /-/sessions')
}

/** Mutation that refetches all shown data when it succeeds. */
export function useAction<O extends Operation>(
  operation: O,
  { done, onDone, showsErrors = false, onFailed, isLeaving = false }: ActionOptions<O> = {},
): UseMutationResult<ResponseOf<O>, Error, Request<O>> {
  const toast = useToast()
  const underway = useRef(new Set<string>())
  const keyring = useRef(createKeyring())
  const send = (request: Request<O>) => {
    if (!takesKey(operation)) return api.call(operation, request)
    return keyring.current.use(contentOf(request), (idempotencyKey) => api.call(operation, request, { idempotencyKey }))
  }
  const mutation = useMutation({
    mutationFn: (request: Request<O>) => withConfirmation(() => send(request)),
    onSuccess(response, request) {
      const finish = () => {
        if (done) toast({ text: done })
        onDone?.(response, request)
      }
      if (isLeaving) flushSync(finish)
      void queries.invalidateQueries()
      if (!isLeaving) finish()
    },
    onError(error) {
      if (onFailed) onFailed(error)
      else if (!showsErrors) toast({ text: error.message, kind: 'error' })
    },
    onSettled(_response, _error, request) {
      underway.current.delete(JSON.stringify(request))
    },
  })
  const { mutate } = mutation
  // A double click may arrive before the button is rendered as busy.
  const mutateOnce = useCallback(
    (...given: Parameters<typeof mutate>) => {
      const key = JSON.stringify(given[0])
      if (underway.current.has(key)) return
      underway.current.add(key)
      mutate(...given)
    },
    [mutate],
  )
  return { ...mutation, mutate: mutateOnce }
}
