import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import styles from './selection.module.css'
import type { Selection } from './selection.tsx'
import { texts } from './texts.ts'

/** Sticky bar with actions for the selected files. */
export function SelectionBar({ selection, children }: { selection: Selection; children: ReactNode }) {
  const count = selection.files.length
  if (count === 0) return null
  return (
    <section className={styles.bar} aria-label={texts.selectedFiles}>
      <strong className="numbers">{texts.fileSelected(count)}</strong>
      {children}
      <Button size="small" kind="quiet" onClick={selection.clear}>
        {texts.clearSelection}
      </Button>
    </section>
  )
}
