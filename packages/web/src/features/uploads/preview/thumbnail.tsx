import { useState } from 'react'
import type { StoredFile } from '../owner.ts'
import { iconOf, kindOf } from './file-kind.ts'
import styles from './thumbnail.module.css'

/** Maximum size of an image that is downloaded for its thumbnail. */
const maxBytes = 4 * 1024 * 1024

/** Thumbnail of an image, or an icon for other files. */
export function Thumbnail({ file }: { file: StoredFile }) {
  const [isBroken, setBroken] = useState(false)
  const isShown = kindOf(file) === 'image' && file.bytes <= maxBytes && !file.deletedAt && !isBroken
  const Picture = iconOf(file)
  return (
    <span className={styles.frame}>
      {isShown ? (
        <img
          src={file.fullPath}
          alt=""
          width={40}
          height={40}
          loading="lazy"
          decoding="async"
          className={styles.picture}
          onError={() => setBroken(true)}
        />
      ) : (
        <Picture size={22} aria-hidden="true" />
      )}
    </span>
  )
}
