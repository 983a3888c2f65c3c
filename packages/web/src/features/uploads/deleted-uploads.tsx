import { RotateCcw, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { fill } from '../../components/fill.tsx'
import { SearchFilter } from '../../components/form/filters.tsx'
import { formatBytes } from '../../components/format.ts'
import { Page } from '../../components/page/page.tsx'
import { Pager, usePageNumber } from '../../components/page/pager.tsx'
import { Empty, QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { useMayChange, useSession } from '../../data/session.ts'
import styles from './deleted-uploads.module.css'
import { addressOf, fileFromRow, operationsOf, type StoredFile, type UploadOwner } from './owner.ts'
import { Thumbnail } from './preview/thumbnail.tsx'
import { useRemoval } from './remove-files.ts'
import { SelectAll, SelectOne, useSelection } from './selection.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { texts } from './texts.ts'

const perPage = 30
const dayMs = 24 * 60 * 60 * 1000

/** List of deleted uploads that can be restored. */
export function DeletedUploads({ owner }: { owner: UploadOwner }) {
  const session = useSession()
  const graceDays = session.upload_grace_days
  const [{ search }, _set] = useSearchState(['search'])
  const page = usePageNumber()
  const request = {
    path: { id: owner.id },
    query: { deleted: true, with_details: true, search, page, per_page: perPage },
  }
  const query = usePage(operationsOf(owner).list, request)
  const files = useMemo(() => (query.data?.rows ?? []).map(fileFromRow), [query.data])
  const selection = useSelection()
  const { restore, isBusy } = useRemoval(owner)
  const mayRestore = useMayChange()
  const restoreSelected = async () => {
    await restore(selection.files)
    selection.clear()
  }
  return (
    <Page
      title={texts.deletedUploads}
      crumbs={[{ label: texts.uploads, to: addressOf(owner) }]}
      lead={texts.deletedFilesCanBeRestored(graceDays)}
    >
      <search className="row-wrap">
        <SearchFilter label={texts.searchByName} />
      </search>
      <QueryResult query={query}>
        {(found) =>
          found.rows.length === 0 ? (
            <Empty icon={Trash2} title={search ? texts.noResults : texts.noDeletedUploads}>
              <p>{search ? texts.noDeletedFilesMatch : texts.deletedFilesAppearHere}</p>
            </Empty>
          ) : (
            <div className={styles.deleted}>
              <Table
                label={texts.deletedUploads}
                head={[
                  ...(mayRestore ? [<SelectAll key="all" files={files} selection={selection} />] : []),
                  texts.name,
                  texts.size,
                  texts.uploadedBy,
                  texts.deleted,
                  texts.permanentlyDeletedOn,
                  <span key="actions" className="visually-hidden">
                    {texts.actions}
                  </span>,
                ]}
              >
                {files.map((file) => (
                  <tr key={file.id}>
                    {mayRestore && (
                      <td className={styles.check}>
                        <SelectOne file={file} selection={selection} />
                      </td>
                    )}
                    <td>
                      <div className="row">
                        <span className={styles.kind}>
                          <Thumbnail file={file} />
                        </span>
                        <div>
                          <p className={styles.name}>{file.name}</p>
                          <p className={`muted small ${styles.facts}`}>
                            {fill(texts.permanentlyDeleted, {
                              bytes: formatBytes(file.bytes),
                              time: <Time of={endOf(file, graceDays)} />,
                            })}
                          </p>
                        </div>
                      </div>
                    </td>
                    <td className="numbers">{formatBytes(file.bytes)}</td>
                    <td>{file.uploadedBy?.name ?? <span className="muted">{texts.unknown}</span>}</td>
                    <td>
                      <Time of={file.deletedAt ?? file.createdAt} />
                    </td>
                    <td>
                      <Time of={endOf(file, graceDays)} />
                    </td>
                    <td className={styles.action}>
                      {mayRestore && (
                        <Button
                          size="small"
                          icon={RotateCcw}
                          aria-label={texts.restoreName(file.name)}
                          onClick={() => void restore([file])}
                        >
                          {texts.restore}
                        </Button>
                      )}
                    </td>
                  </tr>
                ))}
              </Table>
            </div>
          )
        }
      </QueryResult>
      <SelectionBar selection={selection}>
        <Button size="small" icon={RotateCcw} isBusy={isBusy} onClick={() => void restoreSelected()}>
          {texts.restore}
        </Button>
      </SelectionBar>
      {query.data && <Pager page={query.data} perPage={perPage} />}
    </Page>
  )
}

function endOf({ deletedAt, createdAt }: StoredFile, graceDays: number): string {
  return new Date(Date.parse(deletedAt ?? createdAt) + graceDays * dayMs).toISOString()
}
