import { createContext, type ReactNode, useContext, useEffect } from 'react'
import { Breadcrumbs, type Crumb } from './breadcrumbs.tsx'
import styles from './page.module.css'

/** Name of the project or group that contains the page; part of the window title. */
export const PlaceName = createContext('')

/** Sets the window title while the component is mounted. */
export function useTitle(title: string): void {
  const place = useContext(PlaceName)
  useEffect(() => {
    document.title = [title, place, 'Alcove'].filter(Boolean).join(' · ')
  }, [title, place])
}

/** Page with breadcrumbs, a title and the actions that apply to all of it. */
export function Page({
  title,
  crumbs,
  lead,
  actions,
  isHeadingHidden = false,
  children,
}: {
  title: string
  /** Pages above this one; default: the screens whose addresses begin that of this page. */
  crumbs?: readonly Crumb[]
  lead?: ReactNode
  actions?: ReactNode
  /** True: hides the heading visually where the tab above repeats it and the content needs the space. */
  isHeadingHidden?: boolean
  children: ReactNode
}) {
  useTitle(title)
  return (
    <div className={styles.page}>
      <header className={isHeadingHidden ? 'visually-hidden' : styles.header}>
        <div className="stack-tight">
          <Breadcrumbs title={title} crumbs={crumbs} />
          <h1>{title}</h1>
          {lead && <div className={styles.lead}>{lead}</div>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** Section of a page on its own surface. */
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
