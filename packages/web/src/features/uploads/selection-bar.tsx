import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { counted } from '../../components/format.ts'
import styles from './selection.module.css'
import type { Selection } from './selection.tsx'

/** Sticky bar with actions for the selected files. */
export function SelectionBar({ selection, children }: { selection: Selection; children: ReactNode }) {
  const count = selection.files.length
  if (count === 0) return null
  return (
    <section className={styles.bar} aria-label="Selected files">
      <strong className="numbers">{counted(count, 'file')} selected</strong>
      {children}
      <Button size="small" kind="quiet" onClick={selection.clear}>
        Clear selection
      </Button>
    </section>
  )
}
