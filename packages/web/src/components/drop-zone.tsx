import type { LucideIcon } from 'lucide-react'
import { type DragEvent, useId, useRef, useState } from 'react'
import { Button } from './button.tsx'
import styles from './drop-zone.module.css'

/** Files are dropped here, or chosen. */
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
      <Button onClick={() => input.current?.click()}>{takesSeveral ? 'Choose files' : 'Choose a file'}</Button>
      <input
        ref={input}
        id={id}
        type="file"
        multiple={takesSeveral}
        className="visually-hidden"
        tabIndex={-1}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])]
          // So that the same file can be chosen again.
          target.value = ''
          if (files.length > 0) onFiles(files)
        }}
      />
    </div>
  )
}

/** Forms for whoever only reads are disabled, and the browser knows that of their fields alone. */
function isOpenTo({ currentTarget }: DragEvent): boolean {
  return !currentTarget.closest('fieldset:disabled')
}
