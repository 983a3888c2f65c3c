import { RequestFailed } from '@alcove/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { Ban, CircleAlert, type LucideIcon, SearchX } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { signInAddress } from '../../data/own-address.ts'
import { useIsSignedOut } from '../../data/session.ts'
import { Button, LinkButton } from '../button.tsx'
import { texts } from '../texts.ts'
import styles from './states.module.css'

/** Empty state: says why there is nothing and what to do. */
export function Empty({
  icon: Picture = SearchX,
  title,
  isPage = false,
  children,
}: {
  icon?: LucideIcon
  title: string
  /** True: it replaces a whole page, so its title is the heading of the page. */
  isPage?: boolean
  children?: ReactNode
}) {
  const Title = isPage ? 'h1' : 'p'
  return (
    <div className={styles.state}>
      <Picture size={32} aria-hidden="true" className={styles.icon} />
      <Title className={styles.title}>{title}</Title>
      {children && <div className={styles.rest}>{children}</div>}
    </div>
  )
}

/** Error state: shows the message of the server, with a button to try again where that may help. */
export function Failed({ error, isPage = false, onRetry }: { error: Error; isPage?: boolean; onRetry?: () => void }) {
  const isSignedOut = useIsSignedOut()
  const status = error instanceof RequestFailed ? error.status : 0
  // Anonymous requests for private pages also get 404, so the page may exist after sign-in.
  const offersSignIn = status === 401 || (isSignedOut && (status === 403 || status === 404))
  const icon = status === 404 ? SearchX : status === 403 || status === 401 ? Ban : CircleAlert
  const title =
    { 401: texts.signInRequired, 403: texts.accessDenied, 404: texts.notFound }[status] ?? texts.somethingWentWrong
  return (
    <div role="alert">
      <Empty icon={icon} title={title} isPage={isPage}>
        <p>{isSignedOut && status === 404 ? hiddenOrGone : sentenceOf(error)}</p>
        {offersSignIn && <LinkButton to={signInAddress()}>{texts.signIn}</LinkButton>}
        {onRetry && (status === 0 || status >= 429) && <Button onClick={onRetry}>{texts.tryAgain}</Button>}
      </Empty>
    </div>
  )
}

const hiddenOrGone = texts.itDoesNotExist

function sentenceOf(error: Error): string {
  return error instanceof RequestFailed ? error.message : texts.theServerCannotBeReached
}

/** Loading indicator that appears only after a short delay. */
export function Loading({ label = texts.loading }: { label?: string }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className={styles.loading} role="status" data-loading="">
      {isLate && (
        <>
          <span className={styles.bar} aria-hidden="true" />
          <span className="visually-hidden">{label}</span>
        </>
      )}
    </div>
  )
}

/** Returns true when data that was loaded before has been deleted or is no longer visible to the user. */
function isTakenAway(error: Error | null): boolean {
  return error instanceof RequestFailed && [401, 403, 404, 410].includes(error.status)
}

/** Renders the result of a query, or its loading or error state. */
export function QueryResult<T>({
  query,
  isPage = false,
  children,
}: {
  query: UseQueryResult<T, Error>
  /** True: an error replaces the whole page. */
  isPage?: boolean
  children: (data: T) => ReactNode
}) {
  if (query.data !== undefined && !isTakenAway(query.error)) return children(query.data)
  if (query.error) return <Failed error={query.error} isPage={isPage} onRetry={() => void query.refetch()} />
  return <Loading />
}
