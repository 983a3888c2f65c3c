import { useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { Failed, Loading } from '../components/states.tsx'
import { useCurrentInSight } from '../components/use-current-in-sight.ts'
import { AccountMenu } from './account-menu.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { Mark } from './mark.tsx'
import { Routes } from './routes.tsx'
import { type SessionState, sessionQuery } from './session.ts'
import styles from './shell.module.css'

/** What stands around every page. */
export function Shell() {
  const session = useQuery(sessionQuery)
  const [path] = useLocation()
  if (session.error && !session.data)
    return <Failed error={session.error} isPage onRetry={() => void session.refetch()} />
  if (!session.data) return <Loading />
  return (
    <>
      <a href="#main" className={styles.skip}>
        Skip to the page
      </a>
      <Header session={session.data} path={path} />
      <main id="main" tabIndex={-1} className={styles.main}>
        <ErrorBoundary key={path}>
          <Suspense fallback={<Loading />}>
            <Routes />
          </Suspense>
        </ErrorBoundary>
      </main>
      <Announcer path={path} />
    </>
  )
}

function Header({ session, path }: { session: SessionState; path: string }) {
  const nav = useCurrentInSight<HTMLElement>(path)
  const links = [
    { label: 'Projects', to: '/explore/projects' },
    { label: 'Groups', to: '/explore/groups' },
    { label: 'Topics', to: '/explore/topics' },
    ...(session.is_admin ? [{ label: 'Admin', to: '/-/admin' }] : []),
    { label: 'API', to: '/-/api' },
  ]
  return (
    <header className={styles.header}>
      <div className={styles.inner}>
        <Link to="/" className={styles.home} aria-label="Alcove, start page">
          <Mark />
          <span className={styles.name}>Alcove</span>
        </Link>
        <nav ref={nav} aria-label="Main" className={styles.nav}>
          {links.map(({ label, to }) => (
            <Link key={to} to={to} className={styles.link} aria-current={isBelow(path, to) ? 'page' : undefined}>
              {label}
            </Link>
          ))}
        </nav>
        <AccountMenu session={session} />
      </div>
    </header>
  )
}

function isBelow(path: string, to: string): boolean {
  return path === to || path.startsWith(`${to}/`)
}

/** Tells screen readers that another page is shown, and begins it at its top, as a browser does between documents. */
function Announcer({ path }: { path: string }) {
  const said = useRef<HTMLParagraphElement>(null)
  const before = useRef(path)
  useEffect(() => {
    if (before.current === path) return
    before.current = path
    scrollTo(0, 0)
    const timer = setTimeout(() => {
      if (said.current) said.current.textContent = document.title
    }, 300)
    return () => clearTimeout(timer)
  }, [path])
  return <p ref={said} role="status" className="visually-hidden" />
}
