import styles from './drop-hint.module.css'

/** Overlay that covers the page while files are dragged over it, to show that they can be dropped anywhere. */
export function DropHint({ isShown, text }: { isShown: boolean; text: string }) {
  if (!isShown) return null
  return (
    <div className={styles.hint} aria-hidden="true">
      <p>{text}</p>
    </div>
  )
}
