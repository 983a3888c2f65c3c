import type { ReactNode } from 'react'
import { type ChangeKind, mayWrite, useMayChange, useSession } from '../../data/session.ts'
import { texts } from '../texts.ts'
import styles from './for-writers.module.css'

/**
 * Disables the forms inside it for users with read-only access and shows why. Pages of archived projects and of
 * mirrors have their own notice.
 */
export function ForWriters({ kind, children }: { kind?: ChangeKind; children: ReactNode }) {
  const session = useSession()
  if (useMayChange(kind)) return children
  return (
    <fieldset disabled className={styles.all}>
      {!mayWrite(session) && <p>{texts.youSignedInWithAReadOnly}</p>}
      {children}
    </fieldset>
  )
}
