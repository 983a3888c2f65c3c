import { useState } from 'react'
import type { StoredFile } from '../owner.ts'
import { iconOf, kindOf } from './file-kind.ts'
import styles from './thumbnail.module.css'

/** What is larger is not worth its way for a small picture. */
const maxBytes = 4 * 1024 * 1024

/** The picture itself, small; of everything else its kind. */
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
