import { Download } from 'lucide-react'
import { look } from '../../../components/button.tsx'
import { formatBytes } from '../../../components/format.ts'
import type { StoredFile } from '../owner.ts'
import { texts } from '../texts.ts'
import { iconOf } from './file-kind.ts'
import styles from './preview-body.module.css'

/** Details of a file that has no preview. */
export function PreviewFacts({
  file,
  note = texts.noPreviewAvailableForThisFile,
}: {
  file: StoredFile
  note?: string
}) {
  const Picture = iconOf(file)
  return (
    <div className={styles.facts}>
      <div className={styles.card}>
        <Picture size={48} aria-hidden="true" />
        <p>{note}</p>
        <dl className={styles.list}>
          <dt>{texts.size}</dt>
          <dd className="numbers">
            {formatBytes(file.bytes)}
            {file.bytes >= 1024 && texts.bytes(file.bytes)}
          </dd>
          <dt>{texts.type}</dt>
          <dd>{file.contentType || texts.unknown}</dd>
          {file.sha256 && (
            <>
              <dt>{texts.sha256}</dt>
              <dd className="mono">{file.sha256}</dd>
            </>
          )}
        </dl>
        {file.scanState !== 'infected' && (
          <a href={file.fullPath} download="" className={look({ kind: 'primary' })}>
            <Download size={16} aria-hidden="true" />
            {texts.download}
          </a>
        )}
      </div>
    </div>
  )
}
