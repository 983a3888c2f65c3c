import { createContext, type ReactNode, useContext, useEffect } from 'react'
import { Link } from 'wouter'
import styles from './page.module.css'

/** The project or group that the pages inside belong to; windows have it in their titles. */
export const PlaceName = createContext('')

/** The window's title, while this is shown. */
export function useTitle(title: string): void {
  const place = useContext(PlaceName)
  useEffect(() => {
    document.title = [title, place, 'Alcove'].filter(Boolean).join(' · ')
  }, [title, place])
}

export interface Crumb {
  label: string
  to: string
}

/** A page: where it is, what it is called, what can be done with the whole of it. */
export function Page({
  title,
  crumbs = [],
  lead,
  actions,
  isHeadingHidden = false,
  children,
}: {
  title: string
  crumbs?: readonly Crumb[]
  lead?: ReactNode
  actions?: ReactNode
  /** True: the tab above says the same, and the content needs the room. */
  isHeadingHidden?: boolean
  children: ReactNode
}) {
  useTitle(title)
  return (
    <div className={styles.page}>
      <header className={isHeadingHidden ? 'visually-hidden' : styles.header}>
        <div className="stack-tight">
          {crumbs.length > 0 && (
            <nav aria-label="Where this is">
              <ol className={styles.crumbs}>
                {crumbs.map(({ label, to }) => (
                  <li key={to}>
                    <Link to={to}>{label}</Link>
                  </li>
                ))}
              </ol>
            </nav>
          )}
          <h1>{title}</h1>
          {lead && <div className={styles.lead}>{lead}</div>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** A part of a page on a surface of its own. */
export function Panel({ title, actions, children }: { title?: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.panel} {...(title && { 'aria-label': title })}>
      {(title || actions) && (
        <header className={styles.panelHeader}>
          {title && <h2>{title}</h2>}
          {actions && <div className="row push">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  )
}
