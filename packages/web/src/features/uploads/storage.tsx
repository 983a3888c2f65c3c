import { type UploadLimits, usageSentence } from './limits.ts'
import styles from './storage.module.css'
import { texts } from './texts.ts'

/** Storage usage, with a meter if there is a quota. */
export function Storage({ limits }: { limits: UploadLimits }) {
  const { quota_bytes: quota, used_bytes: used } = limits
  const share = quota ? Math.min(1, used / quota) : quota === 0 ? 1 : 0
  return (
    <div className={styles.storage}>
      <p className="small muted numbers">{usageSentence(limits)}</p>
      {quota !== null && (
        <meter
          className={`${styles.bar} ${share >= 0.9 ? styles.full : ''}`}
          min={0}
          max={Math.max(1, quota)}
          value={Math.min(used, quota)}
          aria-label={texts.storageUsed}
        />
      )}
    </div>
  )
}
