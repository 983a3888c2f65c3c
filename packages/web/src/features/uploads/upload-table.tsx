import { Download, ExternalLink, Eye, Link2, Trash2 } from 'lucide-react'
import { Link } from 'wouter'
import { IconLink } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { fill } from '../../components/fill.tsx'
import { formatBytes } from '../../components/format.ts'
import { ActionMenu } from '../../components/overlay/menu.tsx'
import { Table } from '../../components/table.tsx'
import { Day, Time } from '../../components/time.tsx'
import type { StoredFile } from './owner.ts'
import { Thumbnail } from './preview/thumbnail.tsx'
import { ScanBadge } from './scan-badge.tsx'
import { SelectAll, type Selection, SelectOne } from './selection.tsx'
import { texts } from './texts.ts'
import styles from './upload-table.module.css'

export function UploadTable({
  files,
  selection,
  previewOf,
  onPreview,
  onLink,
  onRemove,
}: {
  files: readonly StoredFile[]
  /** Absent if the user may not change uploads. */
  selection?: Selection | undefined
  previewOf: (id: number) => string
  onPreview: (id: number) => void
  onLink: (file: StoredFile) => void
  onRemove: (file: StoredFile) => void
}) {
  const head = [
    texts.name,
    texts.size,
    texts.type,
    texts.uploadedBy,
    texts.uploaded,
    <span key="actions" className="visually-hidden">
      {texts.actions}
    </span>,
  ]
  return (
    <div className={styles.uploads}>
      <Table
        label={texts.uploads}
        head={selection ? [<SelectAll key="all" files={files} selection={selection} />, ...head] : head}
      >
        {files.map((file) => (
          <tr key={file.id}>
            {selection && (
              <td className={styles.check}>
                <SelectOne file={file} selection={selection} />
              </td>
            )}
            <td className={styles.name}>
              <div className="row">
                <Thumbnail file={file} />
                <div className={styles.names}>
                  <Link to={previewOf(file.id)} className={styles.link}>
                    {file.name}
                  </Link>
                  <p className={`muted small ${styles.facts}`}>
                    {formatBytes(file.bytes)}, <Time of={file.createdAt} />
                  </p>
                  <Uses file={file} />
                  <ScanBadge file={file} />
                </div>
              </div>
            </td>
            <td className={`numbers ${styles.plain}`}>{formatBytes(file.bytes)}</td>
            <td className={`muted small ${styles.type}`}>{file.contentType}</td>
            <td className={styles.who}>{file.uploadedBy?.name ?? <span className="muted">{texts.unknown}</span>}</td>
            <td className={styles.plain}>
              <Time of={file.createdAt} />
            </td>
            <td>
              <div className={styles.actions}>
                <CopyButton isIcon label={texts.copyMarkdownOf(file.name)} text={file.markdown} />
                <span className={styles.open}>
                  <IconLink label={texts.open(file.name)} icon={ExternalLink} href={file.fullPath} />
                </span>
                <ActionMenu
                  label={texts.actionsFor(file.name)}
                  items={[
                    { label: texts.preview, icon: Eye, onChoose: () => onPreview(file.id) },
                    { label: texts.download, icon: Download, onChoose: () => save(file) },
                    ...(selection
                      ? [
                          { label: texts.createLink, icon: Link2, onChoose: () => onLink(file) },
                          { label: texts.deleteLabel, icon: Trash2, isDangerous: true, onChoose: () => onRemove(file) },
                        ]
                      : []),
                  ]}
                />
              </div>
            </td>
          </tr>
        ))}
      </Table>
    </div>
  )
}

/** Use of the file in texts. Without recorded references it is unknown. */
function Uses({ file: { useCount = 0, unreferencedSince } }: { file: StoredFile }) {
  if (useCount > 0) return <p className="muted small">{texts.use(useCount)}</p>
  if (!unreferencedSince) return null
  return <p className="muted small">{fill(texts.unreferencedSince, { day: <Day of={unreferencedSince} /> })}</p>
}

function save({ fullPath, name }: StoredFile): void {
  const link = document.createElement('a')
  link.href = fullPath
  link.download = name
  link.click()
}
