import type { ReactNode } from 'react'
import { mayWrite, useMayChange, useSession } from '../../data/session.ts'
import { texts } from '../texts.ts'
import styles from './for-writers.module.css'

/**
 * Disables the forms inside it for users with read-only access and shows why. Pages of archived projects have their
 * own notice.
 */
export function ForWriters({ children }: { children: ReactNode }) {
  const session = useSession()
  if (useMayChange()) return children
  return (
    <fieldset disabled className={styles.all}>
      {!mayWrite(session) && <p>{texts.youSignedInWithAReadOnly}</p>}
      {children}
    </fieldset>
  )
}
