import { useState } from 'react'
import { formatCount } from '../../../components/format.ts'
import type { StoredFile } from '../owner.ts'
import { texts } from '../texts.ts'
import { type FileKind, kindOf } from './file-kind.ts'
import styles from './preview-body.module.css'
import { PreviewFacts } from './preview-facts.tsx'
import { PreviewPdf } from './preview-pdf.tsx'
import { maxTextBytes, PreviewText } from './preview-text.tsx'

interface PreviewBodyProps {
  file: StoredFile
  /** True: shows an image at 100 %. */
  isFull: boolean
  /** Reports the dimensions of an image. */
  onSize: (size: string) => void
}

/** Preview of a file by its kind. Never renders an upload as an HTML document of this origin. */
export function PreviewBody({ file, isFull, onSize }: PreviewBodyProps) {
  const [isBroken, setBroken] = useState(false)
  const kind = kindOf(file)
  const onError = () => setBroken(true)
  if (file.scanState === 'infected') return <PreviewFacts file={file} note={quarantineNote} />
  if (isBroken) return <PreviewFacts file={file} note={brokenNotes[kind] ?? ''} />
  switch (kind) {
    case 'image':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className={styles.picture} tabIndex={0} aria-label={file.name}>
          <img
            src={file.fullPath}
            alt={file.name}
            className={isFull ? styles.full : styles.fit}
            onError={onError}
            onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
              onSize(`${formatCount(width)} × ${formatCount(height)}`)
            }
          />
        </section>
      )
    case 'video':
      return (
        <div className={styles.player}>
          {/* biome-ignore lint/a11y/useMediaCaption: an upload has no captions */}
          <video src={file.fullPath} controls preload="metadata" onError={onError} aria-label={file.name} />
        </div>
      )
    case 'audio':
      return (
        <div className={styles.player}>
          {/* biome-ignore lint/a11y/useMediaCaption: an upload has no captions */}
          <audio src={file.fullPath} controls preload="metadata" onError={onError} aria-label={file.name} />
        </div>
      )
    case 'pdf':
      return <PreviewPdf file={file} />
    case 'text':
      return <PreviewText file={file} />
    case 'unknown':
      return file.bytes <= maxTextBytes ? <PreviewText file={file} isGuess /> : <PreviewFacts file={file} />
    default:
      return <PreviewFacts file={file} />
  }
}

const quarantineNote = texts.thisFileIsQuarantined

const brokenNotes: { [K in FileKind]?: string } = {
  image: texts.yourBrowserCannotDisplayThis,
  video: texts.yourBrowserCannotPlay,
  audio: texts.yourBrowserCannotPlayThis,
}
