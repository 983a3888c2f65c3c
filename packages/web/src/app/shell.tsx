import { useQuery } from '@tanstack/react-query'
import { Menu, X } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import { Link, Redirect, useLocation, useRouter } from 'wouter'
import { lazyComponent, nothingYet } from '../components/lazy-component.tsx'
import { Mark } from '../components/mark.tsx'
import { ScreenTableContext } from '../components/page/screen-table.ts'
import { preloadScreen, Screens, useLinks } from '../components/page/screens.tsx'
import { Failed, Loading } from '../components/page/states.tsx'
import { useIsConfirming } from '../data/confirmation.ts'
import { useDisplay } from '../data/display.ts'
import { invitationPath } from '../data/invitation-link.ts'
import { twoFactorPath } from '../data/own-address.ts'
import { type SessionState, sessionQuery } from '../data/session.ts'
import { AccountMenu } from './account-menu.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { keepFocus } from './keep-focus.ts'
import { NotificationBell } from './notification-bell.tsx'
import { screens } from './screens.ts'
import { SearchButton } from './search-button.tsx'
import styles from './shell.module.css'
import { rejectStrayDrops } from './stray-drops.ts'
import { texts } from './texts.ts'
import { useDropDown } from './use-drop-down.ts'

const ConfirmIdentity = lazyComponent(async () => (await import('./confirm-identity.tsx')).ConfirmIdentity, nothingYet)

/** Screens of a session that must set up a second factor. The invitation leads there, and is not lost. */
const setUpPaths = [twoFactorPath, invitationPath]

/** Layout of every page: header, main region, screen reader announcements and the identity dialog. */
export function Shell() {
  const session = useQuery(sessionQuery)
  const isConfirming = useIsConfirming()
  // All times and numbers are rendered again when the user changes their format.
  useDisplay()
  const [path] = useLocation()
  const { parser } = useRouter()
  // Begins before the session is there and before the screen is rendered.
  useMemo(() => preloadScreen(screens, parser, path), [parser, path])
  useEffect(keepFocus, [])
  useEffect(rejectStrayDrops, [])
  if (session.error && !session.data)
    return <Failed error={session.error} isPage onRetry={() => void session.refetch()} />
  if (!session.data) return <Loading />
  return (
    <ScreenTableContext value={screens}>
      <a href="#main" className={styles.skip}>
        {texts.skipToMainContent}
      </a>
      <a href="#results" className={`${styles.skip} ${styles.skipResults}`}>
        {texts.skipToResults}
      </a>
      <Header session={session.data} path={path} />
      <main id="main" tabIndex={-1} className={styles.main}>
        <ErrorBoundary key={path}>
          {session.data.must_set_up_second_factor && !setUpPaths.includes(path) ? (
            <Redirect to={twoFactorPath} replace />
          ) : (
            <Screens area="main" />
          )}
        </ErrorBoundary>
      </main>
      <Announcer path={path} />
      {isConfirming && <ConfirmIdentity session={session.data} />}
    </ScreenTableContext>
  )
}

function Header({ session, path }: { session: SessionState; path: string }) {
  const { isOpen, close, place, button, id } = useDropDown()
  const links = useLinks('header', 'main')
  return (
    <header className={styles.header}>
      <div className={styles.inner}>
        <Link to="/" className={styles.home} aria-label={texts.alcoveHome}>
          <Mark />
          <span className={styles.name}>{texts.alcove}</span>
        </Link>
        {/* On narrow screens the links open from the button. */}
        <div {...place} className={styles.place}>
          <button {...button} className={styles.menu} aria-label={texts.menu}>
            {isOpen ? <X size={20} aria-hidden="true" /> : <Menu size={20} aria-hidden="true" />}
          </button>
          <nav id={id} aria-label={texts.main} className={`${styles.nav} ${isOpen ? styles.open : ''}`}>
            {links.map(({ label, to }) => (
              <Link
                key={to}
                to={to}
                className={styles.link}
                aria-current={isBelow(path, to) ? 'page' : undefined}
                onClick={close}
              >
                {label}
              </Link>
            ))}
          </nav>
        </div>
        <SearchButton />
        {session.user && <NotificationBell />}
        <AccountMenu session={session} />
      </div>
    </header>
  )
}

function isBelow(path: string, to: string): boolean {
  return path === to || path.startsWith(`${to}/`)
}

/** Announces each page change to screen readers and scrolls to the top, as a browser does between documents. */
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
