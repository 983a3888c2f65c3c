import { useState } from 'react'
import type { StoredFile } from '../owner.ts'
import { iconOf, kindOf } from './file-kind.ts'
import styles from './thumbnail.module.css'

/** Maximum size of an image that is downloaded whole where the server has no thumbnail of it. */
const maxBytes = 4 * 1024 * 1024
/** Maximum size of a picture of which the server draws a thumbnail, and the formats that it decodes. */
const maxDrawnBytes = 32 * 1024 * 1024
const drawn = /^image\/(png|jpeg|gif|webp|tiff)$/

/** Thumbnail of an image, or an icon for other files. A server without sharp has no thumbnails. */
export function Thumbnail({ file }: { file: StoredFile }) {
  const sources = sourcesOf(file)
  const [failed, setFailed] = useState(0)
  const source = sources[failed]
  const Picture = iconOf(file)
  return (
    <span className={styles.frame}>
      {source ? (
        <img
          src={source}
          alt=""
          width={40}
          height={40}
          loading="lazy"
          decoding="async"
          className={styles.picture}
          onError={() => setFailed(failed + 1)}
        />
      ) : (
        <Picture size={22} aria-hidden="true" />
      )}
    </span>
  )
}

/** Returns the addresses to load in this order until one can be displayed. */
function sourcesOf(file: StoredFile): string[] {
  const { fullPath, contentType, bytes, deletedAt, scanState } = file
  if (deletedAt || bytes === 0 || scanState === 'infected') return []
  const hasThumbnail = drawn.test(contentType) && bytes <= maxDrawnBytes
  const isSmall = kindOf(file) === 'image' && bytes <= maxBytes
  return [...(hasThumbnail ? [fullPath.replace('/uploads/', '/thumbnails/')] : []), ...(isSmall ? [fullPath] : [])]
}
