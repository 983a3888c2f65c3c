import type { ReactNode } from 'react'
import { Avatar } from '../avatar.tsx'
import { VisibilityMark } from '../visibility.tsx'
import type { Crumb } from './breadcrumbs.tsx'
import styles from './place-heading.module.css'

/** Heading of a project or group, shown above its tabs on each of its pages. */
export function PlaceHeading({
  name,
  trail,
  avatarUrl,
  visibility,
  marks,
  actions,
}: {
  name: string
  /** Receives the element for the breadcrumbs of the page. */
  trail: (element: HTMLElement | null) => void
  avatarUrl: string | null
  visibility: string | undefined
  marks?: ReactNode
  actions?: ReactNode
}) {
  return (
    <header className={styles.heading}>
      <Avatar name={name} url={avatarUrl} />
      <div className={styles.names}>
        <div ref={trail} className={styles.trail} />
        <div className={`row-wrap ${styles.line}`}>
          <p className={styles.name}>{name}</p>
          {visibility && <VisibilityMark visibility={visibility} />}
          {marks}
        </div>
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </header>
  )
}

/** Returns the groups of a path with their names and addresses, outermost first. `fullName` begins with their names. */
export function groupsIn(path: string, fullName: string): Crumb[] {
  const [segments, names] = [path.split('/').filter(Boolean), fullName.split(' / ')]
  return segments.map((segment, index) => ({
    label: names[index] || segment,
    to: `/groups/${segments.slice(0, index + 1).join('/')}`,
  }))
}
