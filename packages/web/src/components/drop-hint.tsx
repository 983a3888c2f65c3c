import styles from './drop-hint.module.css'

/** Covers the page while files are held over it, so that it is clear where they may be dropped. */
export function DropHint({ isShown, text }: { isShown: boolean; text: string }) {
  if (!isShown) return null
  return (
    <div className={styles.hint} aria-hidden="true">
      <p>{text}</p>
    </div>
  )
}
