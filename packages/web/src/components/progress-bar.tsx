import { useId } from 'react'
import styles from './progress-bar.module.css'

/** Progress bar; indeterminate without a value. */
export function ProgressBar({ label, value, max }: { label: string; value?: number | undefined; max: number }) {
  const id = useId()
  const percent = value === undefined || max <= 0 ? undefined : Math.min(100, Math.floor((value / max) * 100))
  return (
    <div className={styles.place}>
      <span id={id} className="small">
        {label}
        {percent !== undefined && <span className="muted numbers"> {percent}%</span>}
      </span>
      <progress
        className={styles.bar}
        aria-labelledby={id}
        {...(percent !== undefined && { value: percent, max: 100 })}
      />
    </div>
  )
}
