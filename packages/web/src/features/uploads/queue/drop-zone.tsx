import { Upload } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { Button } from '../../../components/button.tsx'
import { texts } from '../texts.ts'
import styles from './drop-zone.module.css'

/** Area with a button to choose files and the upload limits. Files can be dropped anywhere on the page. */
export function DropZone({ onFiles, children }: { onFiles: (files: File[]) => void; children?: ReactNode }) {
  return (
    <section className={styles.zone} aria-label={texts.uploadFiles}>
      <Upload size={28} aria-hidden="true" className={styles.mark} />
      <p>{texts.dropFilesAnywhereOnThisPage}</p>
      <ChooseFiles kind="primary" label={texts.chooseFiles} onFiles={onFiles} />
      {children && <div className={styles.limits}>{children}</div>}
    </section>
  )
}

export function ChooseFiles({
  label,
  kind = 'plain',
  onFiles,
}: {
  label: string
  kind?: 'primary' | 'plain'
  onFiles: (files: File[]) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={label}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          // Resetting the input allows the same file to be chosen again.
          target.value = ''
        }}
      />
      <Button kind={kind} icon={Upload} onClick={() => input.current?.click()}>
        {label}
      </Button>
    </>
  )
}
