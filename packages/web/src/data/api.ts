import {
  type AnswerOf,
  createClient,
  type ListOperation,
  type Operation,
  type Page,
  type Request,
  RequestFailed,
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
  useQuery,
} from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import { withConfirmation } from './confirmation.ts'
import { contentOf, createKeyring } from './idempotency-keys.ts'
import { useSearchState } from './search-state.ts'
import { useToast } from './toasts.ts'

/** The header says that a page of ours asks, so the cookie counts. */
export const sessionHeaders = { 'x-alcove-session': '1' }
export const api = createClient({ headers: sessionHeaders, cachesGets: true })

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: askWhoThisIs }),
  mutationCache: new MutationCache({ onError: askWhatIsLeft }),
  defaultOptions: {
    // The browser may think that it is offline while the server is beside it; waiting for it would never end.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 10_000,
      // What the server refuses it refuses again.
      retry: (count, error) => count < 2 && !(error instanceof RequestFailed && error.status < 500),
    },
  },
})

/** Signed out elsewhere, or blocked. */
function askWhoThisIs(error: Error): void {
  if (isFailure(error, 401)) void queries.invalidateQueries({ queryKey: ['GET /-/session'] })
}

/** Fetches what is shown again when a refusal suggests that it, or the user's role in it, has changed. */
function askWhatIsLeft(error: Error): void {
  askWhoThisIs(error)
  if ([403, 404, 409].some((status) => isFailure(error, status))) void queries.invalidateQueries()
}

export function isFailure(error: unknown, status: number): boolean {
  return error instanceof RequestFailed && error.status === status
}

interface AnswerOptions<T> {
  /** False: not to be asked (yet). */
  isEnabled?: boolean
  /** Ask again after so many milliseconds, which may depend on what was answered; false: not at all. */
  refetchMs?: number | false | ((answer: T | undefined) => number | false)
}

function intervalOf<T>(refetchMs: AnswerOptions<T>['refetchMs'] = false) {
  return (query: { state: { data: unknown } }) =>
    typeof refetchMs === 'function' ? refetchMs(query.state.data as T | undefined) : refetchMs // what queryFn answered
}

export function useAnswer<O extends Operation>(
  operation: O,
  request: Request<O>,
  { isEnabled = true, refetchMs }: AnswerOptions<AnswerOf<O>> = {},
): UseQueryResult<AnswerOf<O>, Error> {
  return useQuery({
    queryKey: [operation, request],
    queryFn: ({ signal }) => api.call(operation, request, { signal }),
    enabled: isEnabled,
    refetchInterval: intervalOf(refetchMs),
  }) as UseQueryResult<AnswerOf<O>, Error> // the library cannot see that a type of ours is no function
}

/**
 * One page of a list. While another page or filter loads, the last one stays to be seen. Beyond the last page, such as after
 * everything on it was deleted, it leads to the last one.
 */
export function usePage<O extends ListOperation>(
  operation: O,
  request: Request<O>,
  { isEnabled = true, refetchMs }: AnswerOptions<Page<RowOf<O>>> = {},
): UseQueryResult<Page<RowOf<O>>, Error> {
  const query = useQuery({
    queryKey: [operation, request, 'page'],
    queryFn: ({ signal }) => api.page(operation, request, signal),
    enabled: isEnabled,
    refetchInterval: intervalOf(refetchMs),
    placeholderData: keepPreviousData,
  })
  // Every list takes these two.
  useLastPage(request.query as PageQuery | undefined, query.isPlaceholderData ? undefined : query.data)
  return query
}

interface PageQuery {
  page?: number
  per_page?: number
}

function useLastPage({ page = 1, per_page: perPage = 20 }: PageQuery = {}, found: Page<unknown> | undefined): void {
  const [, set] = useSearchState(['page'])
  const isBeyond = page > 1 && found?.rows.length === 0
  const last = Math.ceil((found?.total ?? 0) / perPage)
  useEffect(() => {
    if (isBeyond) set({ page: last > 1 ? String(last) : undefined }, { isReplacing: true })
  }, [isBeyond, last, set])
}

interface ActionOptions<O extends Operation> {
  /** Said when it is done. */
  done?: string
  onDone?: (answer: AnswerOf<O>, request: Request<O>) => void
  /** True: the form shows what is wrong beside its fields, so no message does. */
  showsErrors?: boolean
  /** Shows an error in another way than by a message. */
  onFailed?: (error: Error) => void
  /** True: afterwards what is shown is gone, so where `onDone` leads is shown before anything is asked for anew. */
  isLeaving?: boolean
}

/** Whether a request of the operation is safe to repeat with a key. Routes that check a password check it each time. */
function takesKey(operation: Operation): boolean {
  return operation.startsWith('POST ') && !operation.startsWith('POST /-/sessions')
}

/** Something that changes things: afterwards everything that is shown is asked for anew. */
export function useAction<O extends Operation>(
  operation: O,
  { done, onDone, showsErrors = false, onFailed, isLeaving = false }: ActionOptions<O> = {},
): UseMutationResult<AnswerOf<O>, Error, Request<O>> {
  const toast = useToast()
  const underway = useRef(new Set<string>())
  const keyring = useRef(createKeyring())
  const send = (request: Request<O>) => {
    if (!takesKey(operation)) return api.call(operation, request)
    return keyring.current.use(contentOf(request), (idempotencyKey) => api.call(operation, request, { idempotencyKey }))
  }
  const mutation = useMutation({
    mutationFn: (request: Request<O>) => withConfirmation(() => send(request)),
    onSuccess(answer, request) {
      const tell = () => {
        if (done) toast({ text: done })
        onDone?.(answer, request)
      }
      if (isLeaving) flushSync(tell)
      void queries.invalidateQueries()
      if (!isLeaving) tell()
    },
    onError(error) {
      if (onFailed) onFailed(error)
      else if (!showsErrors) toast({ text: error.message, kind: 'error' })
    },
    onSettled(_answer, _error, request) {
      underway.current.delete(JSON.stringify(request))
    },
  })
  const { mutate } = mutation
  // A button that is pressed twice may not have been shown as busy in between.
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
