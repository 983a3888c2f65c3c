import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { Avatar } from '../components/avatar.tsx'
import { LinkButton } from '../components/button.tsx'
import { api, useAction } from '../data/api.ts'
import { forgetInvitation } from '../data/invitation-link.ts'
import { signInAddress } from '../data/own-address.ts'
import { signOutAtProvider } from '../data/provider-sign-in.ts'
import { isUnlimited, notifyOtherTabs, type SessionState } from '../data/session.ts'
import { useToast } from '../data/toasts.ts'
import styles from './account-menu.module.css'
import { texts } from './texts.ts'
import { applyTheme, currentTheme, type Theme, themes } from './theme.ts'
import { useDropDown } from './use-drop-down.ts'

const themeNames: Record<Theme, string> = { system: texts.system, light: texts.light, dark: texts.dark }

/** Menu with the user's name, account links and the theme. Escape or a click elsewhere closes it. */
export function AccountMenu({ session }: { session: SessionState }) {
  const [path] = useLocation()
  useSearch() // renders again when the query changes: `signInAddress` contains it
  const { isOpen, close, place, button, id } = useDropDown()
  const { user } = session
  return (
    <div {...place} className={styles.place}>
      {!user && !path.startsWith('/-/sign_in') && (
        <LinkButton kind="primary" size="small" to={signInAddress()}>
          {texts.signIn}
        </LinkButton>
      )}
      <button
        {...button}
        className={styles.button}
        aria-label={user ? texts.accountAndAppearance(user.name) : texts.appearance}
      >
        {user && <Avatar name={user.name} url={user.avatar_url} />}
        <ChevronDown size={16} aria-hidden="true" />
      </button>
      <div id={id} hidden={!isOpen} className={styles.menu}>
        {user && (
          <>
            <div className={styles.who}>
              <p className="clip">
                <strong>{user.name}</strong>
              </p>
              <p className="muted small clip">@{user.username}</p>
            </div>
            <Link to="/-/profile" className={styles.item} onClick={close}>
              {texts.profileAndPassword}
            </Link>
            {session.admin_mode && session.is_administrator && isUnlimited(session) && (
              <AdminModeItem session={session} path={path} onChoose={close} />
            )}
            <Link to="/-/profile/tokens" className={styles.item} onClick={close}>
              {texts.accessTokens}
            </Link>
          </>
        )}
        <ThemeChoice />
        {user && <SignOut />}
      </div>
    </div>
  )
}

/** Enters or leaves admin mode. Shown only to administrators of a server that has admin mode. */
function AdminModeItem({ session, path, onChoose }: { session: SessionState; path: string; onChoose: () => void }) {
  const leave = useAction('DELETE /-/sessions/admin_mode', { done: texts.youLeftAdminMode })
  if (!session.is_admin) {
    return (
      <Link to={`/-/profile/admin_mode?to=${encodeURIComponent(path)}`} className={styles.item} onClick={onChoose}>
        {texts.enterAdminMode}
      </Link>
    )
  }
  return (
    <button
      type="button"
      className={styles.item}
      onClick={() => {
        leave.mutate({})
        onChoose()
      }}
    >
      {texts.leaveAdminMode}
    </button>
  )
}

function ThemeChoice() {
  const [theme, setTheme] = useState(currentTheme)
  return (
    <fieldset className={styles.themes}>
      <legend className="small muted">{texts.appearance}</legend>
      {themes.map((name) => (
        <label key={name} className={styles.item}>
          <input
            type="radio"
            name="theme"
            checked={theme === name}
            onChange={() => {
              applyTheme(name)
              setTheme(name)
            }}
          />
          {themeNames[name]}
        </label>
      ))}
    </fieldset>
  )
}

function SignOut() {
  const toast = useToast()
  async function signOut() {
    try {
      const { url } = await api.call('DELETE /-/sessions', {})
      deleteDrafts()
      // The next user of this tab must not accept the invitation of another person.
      forgetInvitation()
      notifyOtherTabs()
      // Loads a new document. This one is emptied, because the browser may keep it in its back/forward cache.
      document.body.replaceChildren()
      addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
      if (url === null) location.assign('/')
      else signOutAtProvider(url)
    } catch (error) {
      toast({ text: texts.youAreStillSigned((error as Error).message), kind: 'error' }) // always an Error
    }
  }
  return (
    <button type="button" className={styles.item} onClick={() => void signOut()}>
      {texts.signOut}
    </button>
  )
}

/** Deletes unsent drafts and the names of unfinished uploads, so that the next user of this browser cannot read them. */
function deleteDrafts(): void {
  for (const key of Object.keys(localStorage)) if (/^(alcove-pad-|tus::)/.test(key)) localStorage.removeItem(key)
}
