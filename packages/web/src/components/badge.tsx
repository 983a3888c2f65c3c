import type { ReactNode } from 'react'
import styles from './badge.module.css'
import { inWords } from './format.ts'
import { texts } from './texts.ts'

export type Tone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger' | 'info'

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`${styles.badge} ${styles[tone]}`}>{children}</span>
}

export const severities = ['critical', 'high', 'medium', 'low', 'info', 'unknown'] as const
export type Severity = (typeof severities)[number]

/** Badge that shows a severity by its name and its own mark, not by colour alone. */
export function SeverityBadge({ severity }: { severity: string }) {
  const known = severities.find((name) => name === severity.toLowerCase()) ?? 'unknown'
  return (
    <span className={`${styles.badge} ${styles.severity} ${styles[known]}`}>
      <span className={styles.mark} aria-hidden="true" />
      {inWords(known)}
    </span>
  )
}

const stateTones: Record<string, Tone> = {
  detected: 'warning',
  confirmed: 'danger',
  resolved: 'success',
  dismissed: 'neutral',
}

export function StateBadge({ state }: { state: string }) {
  return <Badge tone={stateTones[state] ?? 'neutral'}>{stateInWords(state)}</Badge>
}

/** Returns GitLab's label of a vulnerability state. */
export function stateInWords(state: string): string {
  return state === 'detected' ? texts.needsTriage : inWords(state)
}
