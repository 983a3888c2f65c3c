import type { ReactNode } from 'react'
import { Link } from 'wouter'
import styles from './title-cell.module.css'

/** Title, marks such as tags, and location. The title gets the room first. The link is not a tab stop, because Enter opens the active row. */
export function TitleCell({
  title,
  project,
  place,
  to,
  children,
}: {
  title: string
  /** Shown where no column has it: beside the panel, on narrow screens, or when the user has hidden the column. */
  project?: string
  place: string
  to: string
  children?: ReactNode
}) {
  return (
    <div className={styles.cell}>
      <Link to={to} tabIndex={-1} className={styles.title} title={title}>
        {title}
      </Link>
      {children && <span className={styles.marks}>{children}</span>}
      <p className={styles.place} title={project === undefined ? place : `${project}: ${place}`}>
        {project !== undefined && <span className={styles.project}>{project}: </span>}
        {place}
      </p>
    </div>
  )
}
