import { Download, ExternalLink, Eye, Link2, Trash2 } from 'lucide-react'
import { Link } from 'wouter'
import { IconLink } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { counted, formatBytes } from '../../components/format.ts'
import { ActionMenu } from '../../components/overlay/menu.tsx'
import { Table } from '../../components/table.tsx'
import { Day, Time } from '../../components/time.tsx'
import type { StoredFile } from './owner.ts'
import { Thumbnail } from './preview/thumbnail.tsx'
import { ScanBadge } from './scan-badge.tsx'
import { SelectAll, type Selection, SelectOne } from './selection.tsx'
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
    'Name',
    'Size',
    'Type',
    'Uploaded by',
    'Uploaded',
    <span key="actions" className="visually-hidden">
      Actions
    </span>,
  ]
  return (
    <div className={styles.uploads}>
      <Table
        label="Uploads"
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
            <td className={styles.who}>{file.uploadedBy?.name ?? <span className="muted">Unknown</span>}</td>
            <td className={styles.plain}>
              <Time of={file.createdAt} />
            </td>
            <td>
              <div className={styles.actions}>
                <CopyButton isIcon label={`Copy Markdown of ${file.name}`} text={file.markdown} />
                <span className={styles.open}>
                  <IconLink label={`Open ${file.name}`} icon={ExternalLink} href={file.fullPath} />
                </span>
                <ActionMenu
                  label={`Actions for ${file.name}`}
                  items={[
                    { label: 'Preview', icon: Eye, onChoose: () => onPreview(file.id) },
                    { label: 'Download', icon: Download, onChoose: () => save(file) },
                    ...(selection
                      ? [
                          { label: 'Create link', icon: Link2, onChoose: () => onLink(file) },
                          { label: 'Delete', icon: Trash2, isDangerous: true, onChoose: () => onRemove(file) },
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
  if (useCount > 0) return <p className="muted small">{counted(useCount, 'use')}</p>
  if (!unreferencedSince) return null
  return (
    <p className="muted small">
      Unreferenced since <Day of={unreferencedSince} />
    </p>
  )
}

function save({ fullPath, name }: StoredFile): void {
  const link = document.createElement('a')
  link.href = fullPath
  link.download = name
  link.click()
}
