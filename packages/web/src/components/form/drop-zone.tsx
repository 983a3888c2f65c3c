import type { LucideIcon } from 'lucide-react'
import { type DragEvent, useId, useRef, useState } from 'react'
import { Button } from '../button.tsx'
import { texts } from '../texts.ts'
import styles from './drop-zone.module.css'

/** Area that accepts dropped files and has a button to choose files. */
export function DropZone({
  label,
  hint,
  icon: Picture,
  takesSeveral = false,
  onFiles,
}: {
  label: string
  hint: string
  icon: LucideIcon
  takesSeveral?: boolean
  onFiles: (files: File[]) => void
}) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const hold = (event: DragEvent) => {
    event.preventDefault()
    setOver(isOpenTo(event))
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button beside it does the same by keyboard
    <div
      className={`${styles.zone} ${isOver ? styles.over : ''}`}
      onDragEnter={hold}
      onDragOver={hold}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        const files = isOpenTo(event) ? [...event.dataTransfer.files] : []
        if (files.length > 0) onFiles(takesSeveral ? files : files.slice(0, 1))
      }}
    >
      <Picture size={28} aria-hidden="true" className={styles.icon} />
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <p className={styles.hint}>{hint}</p>
      <Button onClick={() => input.current?.click()}>{takesSeveral ? texts.chooseFiles : texts.chooseAFile}</Button>
      <input
        ref={input}
        id={id}
        type="file"
        multiple={takesSeveral}
        className="visually-hidden"
        tabIndex={-1}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])]
          // Resetting the input allows the same file to be chosen again.
          target.value = ''
          if (files.length > 0) onFiles(files)
        }}
      />
    </div>
  )
}

/** Returns false inside a disabled fieldset, which the browser applies to fields but not to drop targets. */
function isOpenTo({ currentTarget }: DragEvent): boolean {
  return !currentTarget.closest('fieldset:disabled')
}
