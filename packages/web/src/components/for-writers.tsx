import type { ReactNode } from 'react'
import { mayWrite, useMayChange, useSession } from '../data/session.ts'
import styles from './for-writers.module.css'

/** Forms that are disabled, with the reason, for users who may only read. Of an archived project the page says so itself. */
export function ForWriters({ children }: { children: ReactNode }) {
  const session = useSession()
  if (useMayChange()) return children
  return (
    <fieldset disabled className={styles.all}>
      {!mayWrite(session) && (
        <p>This browser is signed in with a token that only reads, so nothing can be changed here.</p>
      )}
      {children}
    </fieldset>
  )
}
