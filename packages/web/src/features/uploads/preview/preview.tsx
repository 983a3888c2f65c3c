import { Dialog } from '@base-ui/react/dialog'
import { ChevronLeft, ChevronRight, Download, ExternalLink, Maximize, Minimize, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { IconButton, IconLink } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { formatBytes } from '../../../components/format.ts'
import { Empty } from '../../../components/page/states.tsx'
import { Time } from '../../../components/time.tsx'
import { usePage } from '../../../data/api.ts'
import { useSearchState } from '../../../data/search-state.ts'
import { fileFromRow, operationsOf, type StoredFile, type UploadOwner } from '../owner.ts'
import { texts } from '../texts.ts'
import { kindOf } from './file-kind.ts'
import styles from './preview.module.css'
import { PreviewBody } from './preview-body.tsx'

const names = ['preview', 'page'] as const

/** State of the preview, stored in the address: `?preview=41`. */
export function usePreview() {
  const [{ preview, page }, set] = useSearchState(names)
  const [path] = useLocation()
  const search = useSearch()
  return {
    id: preview === undefined ? undefined : Number(preview),
    addressFor(id: number): string {
      const parameters = new URLSearchParams(search)
      parameters.set('preview', String(id))
      return `${path}?${parameters}`
    },
    // Setting `page` explicitly keeps it.
    show: (id: number) => set({ preview: String(id), page }),
    goTo: (id: number) => set({ preview: String(id), page }, { isReplacing: true }),
    close: () => set({ preview: undefined, page }),
  }
}

interface PreviewProps {
  owner: UploadOwner
  /** Listed files, which the arrow keys move through. */
  files: readonly StoredFile[]
  /** False while the list loads. */
  isReady: boolean
  /** True: a file outside the shown page of the list can be fetched. */
  mayList: boolean
}

export function Preview({ owner, files, isReady, mayList }: PreviewProps) {
  const { id, goTo, close } = usePreview()
  const listed = files.find((file) => file.id === id)
  const isElsewhere = isReady && mayList && id !== undefined && !listed
  const request = { path: { id: owner.id }, query: { upload_ids: [id ?? 0], with_details: true } }
  const query = usePage(operationsOf(owner).list, request, { isEnabled: isElsewhere })
  if (id === undefined || !isReady) return null
  const row = isElsewhere && !query.isPlaceholderData ? query.data?.rows[0] : undefined
  const file = listed ?? (row && fileFromRow(row))
  const place = listed ? files.indexOf(listed) : -1
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Viewer
          file={file}
          isAbsent={!file && !query.isFetching}
          position={place < 0 ? undefined : texts.ofPlace(place + 1, files.length)}
          before={files[place - 1]?.id}
          after={place < 0 ? undefined : files[place + 1]?.id}
          onGo={goTo}
          onClose={close}
        />
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface ViewerProps {
  file: StoredFile | undefined
  isAbsent: boolean
  position: string | undefined
  before: number | undefined
  after: number | undefined
  onGo: (id: number) => void
  onClose: () => void
}

function Viewer({ file, isAbsent, position, before, after, onGo, onClose }: ViewerProps) {
  const [isFull, setFull] = useState(false)
  const [size, setSize] = useState({ of: 0, text: '' })
  const popup = useRef<HTMLDivElement>(null)
  useArrows(before, after, onGo)
  return (
    <Dialog.Popup ref={popup} className={styles.viewer} initialFocus={popup}>
      <header className={styles.header}>
        <Dialog.Title className={styles.title}>{file?.name ?? texts.preview}</Dialog.Title>
        {position && <span className="muted small numbers">{position}</span>}
        <div className={styles.actions}>
          {before !== undefined || after !== undefined ? (
            <>
              <IconButton
                label={texts.previousFile}
                icon={ChevronLeft}
                disabled={before === undefined}
                onClick={() => before !== undefined && onGo(before)}
              />
              <IconButton
                label={texts.nextFile}
                icon={ChevronRight}
                disabled={after === undefined}
                onClick={() => after !== undefined && onGo(after)}
              />
            </>
          ) : null}
          {file && kindOf(file) === 'image' && (
            <IconButton
              label={isFull ? texts.fitToWindow : texts.showAt100}
              icon={isFull ? Minimize : Maximize}
              onClick={() => setFull(!isFull)}
            />
          )}
          {file && (
            <>
              <CopyButton isIcon label={texts.copyMarkdown} text={file.markdown} />
              <IconLink label={texts.openInANew} icon={ExternalLink} href={file.fullPath} />
              <IconLink label={texts.download} icon={Download} href={file.fullPath} isDownload />
            </>
          )}
          <IconButton label={texts.close} icon={X} onClick={onClose} />
        </div>
      </header>
      <div className={styles.body}>
        {file && (
          <PreviewBody key={file.id} file={file} isFull={isFull} onSize={(text) => setSize({ of: file.id, text })} />
        )}
        {isAbsent && (
          <Empty title={texts.fileNotFound}>
            <p>{texts.theFileWasDeleted}</p>
          </Empty>
        )}
      </div>
      {file && (
        <footer className={styles.footer}>
          <span className="numbers">{formatBytes(file.bytes)}</span>
          {size.of === file.id && <span className="numbers">{size.text}</span>}
          <span>{file.contentType}</span>
          <span>
            {file.uploadedBy ? `${file.uploadedBy.name}, ` : ''}
            <Time of={file.createdAt} />
          </span>
        </footer>
      )}
    </Dialog.Popup>
  )
}

/** Handles the arrow keys on the window, because the pressed button may be disabled, and before the dialog does. */
function useArrows(before: number | undefined, after: number | undefined, onGo: (id: number) => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const next = event.key === 'ArrowLeft' ? before : event.key === 'ArrowRight' ? after : undefined
      if (next === undefined || usesArrows(event.target)) return
      event.preventDefault()
      onGo(next)
    }
    addEventListener('keydown', onKeyDown, true)
    return () => removeEventListener('keydown', onKeyDown, true)
  }, [before, after, onGo])
}

/** Returns true for elements that use the arrow keys: media players and horizontally scrolling ones. */
function usesArrows(target: EventTarget | null): boolean {
  if (target instanceof HTMLMediaElement) return true
  if (!(target instanceof HTMLElement) || target.scrollWidth <= target.clientWidth) return false
  return getComputedStyle(target).overflowX === 'auto'
}
