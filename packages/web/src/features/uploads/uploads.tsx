import { FileQuestion, FileUp, NotebookPen, Trash2 } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { Button, LinkButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { DropHint } from '../../components/form/drop-hint.tsx'
import { useFileDrops } from '../../components/form/file-drops.ts'
import { Page } from '../../components/page/page.tsx'
import { Pager, usePageNumber } from '../../components/page/pager.tsx'
import { Empty, QueryResult } from '../../components/page/states.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { levels, useMayChange } from '../../data/session.ts'
import { DeletedUploads } from './deleted-uploads.tsx'
import { limitSentence } from './limits.ts'
import { LinksDialog } from './links/links-dialog.tsx'
import { addressOf, fileFromRow, operationsOf, type StoredFile, type UploadOwner } from './owner.ts'
import { Preview, usePreview } from './preview/preview.tsx'
import { DropZone } from './queue/drop-zone.tsx'
import { QueueList } from './queue/queue-list.tsx'
import { addFiles, useQueue } from './queue/upload-queue.ts'
import { useRemoval } from './remove-files.ts'
import { useSelection } from './selection.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { Storage } from './storage.tsx'
import { texts } from './texts.ts'
import { UploadFilters, useUploadFilter } from './upload-filters.tsx'
import { UploadTable } from './upload-table.tsx'
import styles from './uploads.module.css'

interface UploadsProps {
  owner: UploadOwner
  /** The user's access level. */
  level: number
}

/** Uploads of a project or group. Users who may not list uploads see only those of this session. */
export function Uploads({ owner, level }: UploadsProps) {
  const [{ deleted }] = useSearchState(['deleted'])
  if (deleted === 'true' && level >= levels.maintainer) return <DeletedUploads owner={owner} />
  return <Present owner={owner} level={level} />
}

/** Keeps the place of a line that is loading. */
const space = '\u00a0'

function Present({ owner, level }: UploadsProps) {
  const canSend = useMayChange()
  const canList = level >= levels.maintainer
  const limits = useApiQuery(operationsOf(owner).limits, { path: { id: owner.id } })
  return (
    <Page
      title={texts.uploads}
      lead={limits.data ? <Storage limits={limits.data} /> : limits.isLoading && <p className="small">{space}</p>}
      actions={
        <>
          {canSend && (
            <LinkButton icon={NotebookPen} to={addressOf(owner, 'pad')}>
              {texts.markdownPad}
            </LinkButton>
          )}
          {canList && (
            <LinkButton icon={Trash2} to={`${addressOf(owner)}?deleted=true`}>
              {texts.deleted}
            </LinkButton>
          )}
        </>
      }
    >
      {canSend && (
        <Sending
          owner={owner}
          limits={limits.data ? limitSentence(limits.data) : limits.isLoading ? space : undefined}
        />
      )}
      {canList ? <Listed owner={owner} mayRemove={canSend} /> : <OfThisVisit owner={owner} />}
    </Page>
  )
}

function Sending({ owner, limits }: { owner: UploadOwner; limits: string | undefined }) {
  const take = (files: File[]) => void addFiles(owner, files)
  const isOver = useFileDrops(take)
  const { addressFor } = usePreview()
  return (
    <>
      <DropZone onFiles={take}>{limits}</DropZone>
      <DropHint isShown={isOver} text={texts.dropToUpload} />
      <QueueList owner={owner} previewOf={addressFor} />
    </>
  )
}

/** List of all uploads, for maintainers. */
function Listed({ owner, mayRemove }: { owner: UploadOwner; mayRemove: boolean }) {
  const filter = useUploadFilter()
  const page = usePageNumber()
  const request = { path: { id: owner.id }, query: { ...filter, with_details: true, page, per_page: perPage } }
  const query = usePage(operationsOf(owner).list, request)
  const files = useMemo(() => (query.data?.rows ?? []).map(fileFromRow), [query.data])
  const uploaders = useMemo(() => files.flatMap(({ uploadedBy }) => uploadedBy ?? []), [files])
  const selection = useSelection()
  const removal = useRemoval(owner)
  const preview = usePreview()
  const [linked, setLinked] = useState<StoredFile>()
  const list = useRef<HTMLElement>(null)
  const remove = async (files: readonly StoredFile[]) => {
    await removal.remove(files)
    selection.set(files, false)
    // The pressed button was removed with its row.
    list.current?.focus({ preventScroll: true })
  }
  const isFiltered = Boolean(filter.search ?? filter.content_type ?? filter.uploaded_by)
  const isBare = !isFiltered && page === 1 && query.data?.rows.length === 0
  return (
    <section ref={list} tabIndex={-1} className={`stack ${styles.list}`} aria-label={texts.allUploads}>
      {!isBare && <UploadFilters owner={owner} known={uploaders} />}
      <QueryResult query={query}>
        {(found) =>
          found.rows.length === 0 ? (
            <Nothing isFiltered={isFiltered} mayUpload={mayRemove} />
          ) : (
            <div id="results" tabIndex={-1}>
              <UploadTable
                files={files}
                selection={mayRemove ? selection : undefined}
                previewOf={preview.addressFor}
                onPreview={preview.show}
                onLink={setLinked}
                onRemove={(file) => void remove([file])}
              />
            </div>
          )
        }
      </QueryResult>
      <SelectionBar selection={selection}>
        <CopyButton label={texts.copyMarkdown} text={selection.files.map(({ markdown }) => markdown).join('\n')} />
        <Button
          size="small"
          kind="danger"
          icon={Trash2}
          isBusy={removal.isBusy}
          onClick={() => void remove(selection.files)}
        >
          {texts.deleteLabel}
        </Button>
      </SelectionBar>
      {query.data && <Pager page={query.data} perPage={perPage} />}
      <Preview files={files} owner={owner} isReady={query.data !== undefined} mayList />
      {linked && <LinksDialog owner={owner} file={linked} onClose={() => setLinked(undefined)} />}
    </section>
  )
}

const perPage = 30

function Nothing({ isFiltered, mayUpload }: { isFiltered: boolean; mayUpload: boolean }) {
  return isFiltered ? (
    <Empty title={texts.noResults}>
      <p>{texts.noUploadsMatchThese}</p>
    </Empty>
  ) : (
    <Empty icon={FileUp} title={texts.noUploadsYet}>
      {mayUpload && <p>{texts.uploadedFilesAppearHere}</p>}
    </Empty>
  )
}

/** Uploads of this session, for users who may not list uploads. They are available until the page closes. */
function OfThisVisit({ owner }: { owner: UploadOwner }) {
  const queue = useQueue(owner)
  const files = useMemo(() => queue.flatMap(({ stored }) => stored ?? []), [queue])
  return (
    <>
      {queue.length === 0 && (
        <Empty icon={FileQuestion} title={texts.onlyMaintainersCanList}>
          <p>{texts.yourUploadsAppearHere}</p>
        </Empty>
      )}
      <Preview files={files} owner={owner} isReady mayList={false} />
    </>
  )
}
