import { ChevronDown } from 'lucide-react'
import { Link, useLocation, useSearch } from 'wouter'
import { Avatar } from '../components/avatar.tsx'
import { LinkButton } from '../components/button.tsx'
import { useAction } from '../data/api.ts'
import { signInAddress } from '../data/own-address.ts'
import { isUnlimited, type SessionState } from '../data/session.ts'
import { useSignOut } from '../data/sign-out.ts'
import { applyTheme, type Theme, themes, useTheme } from '../data/theme.ts'
import styles from './account-menu.module.css'
import { texts } from './texts.ts'
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
        <Link to="/-/help" className={styles.item} onClick={close}>
          {texts.help}
        </Link>
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
  const theme = useTheme()
  return (
    <fieldset className={styles.themes}>
      <legend className="small muted">{texts.appearance}</legend>
      {themes.map((name) => (
        <label key={name} className={styles.item}>
          <input type="radio" name="theme" checked={theme === name} onChange={() => applyTheme(name)} />
          {themeNames[name]}
        </label>
      ))}
    </fieldset>
  )
}

function SignOut() {
  const signOut = useSignOut()
  return (
    <button type="button" className={styles.item} onClick={() => void signOut()}>
      {texts.signOut}
    </button>
  )
}
