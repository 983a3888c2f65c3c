import type { ReactNode } from 'react'
import { mayWrite, useSession } from '../app/session.ts'
import styles from './for-writers.module.css'

/** Forms that whoever only reads may look at, told why he can do no more. */
export function ForWriters({ children }: { children: ReactNode }) {
  if (mayWrite(useSession())) return children
  return (
    <fieldset disabled className={styles.all}>
      <p>This browser is signed in with a token that only reads, so nothing can be changed here.</p>
      {children}
    </fieldset>
  )
}
