import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Avatar } from '../avatar.tsx'
import { texts } from '../texts.ts'
import { VisibilityMark } from '../visibility.tsx'
import type { Crumb } from './page.tsx'
import styles from './place-heading.module.css'

/** Heading of a project or group, shown above its tabs on each of its pages. */
export function PlaceHeading({
  name,
  above,
  avatarUrl,
  visibility,
  marks,
  actions,
}: {
  name: string
  /** Parent groups, outermost first. */
  above: readonly Crumb[]
  avatarUrl: string | null
  visibility: string | undefined
  marks?: ReactNode
  actions?: ReactNode
}) {
  return (
    <header className={styles.heading}>
      <Avatar name={name} url={avatarUrl} />
      <div className={styles.names}>
        {above.length > 0 && (
          <nav aria-label={texts.parentGroups} className="muted small">
            <ol className={styles.above}>
              {above.map(({ label, to }) => (
                <li key={to}>
                  <Link to={to}>{label}</Link>
                </li>
              ))}
            </ol>
          </nav>
        )}
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

/** Returns the groups of a path with their addresses, outermost first. */
export function groupsIn(path: string): Crumb[] {
  const names = path.split('/').filter(Boolean)
  return names.map((label, index) => ({ label, to: `/groups/${names.slice(0, index + 1).join('/')}` }))
}
