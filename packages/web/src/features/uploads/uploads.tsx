import { FileQuestion, FileUp, NotebookPen, Trash2 } from 'lucide-react'
import { useMemo, useRef } from 'react'
import { Button, LinkButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { DropHint } from '../../components/drop-hint.tsx'
import { useFileDrops } from '../../components/file-drops.ts'
import { NotForYou } from '../../components/not-found.tsx'
import { Page } from '../../components/page.tsx'
import { Pager, usePageNumber } from '../../components/pager.tsx'
import { Answered, Empty } from '../../components/states.tsx'
import { useAnswer, usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { levels, useMayChange, useSession } from '../../data/session.ts'
import { DeletedUploads } from './deleted-uploads.tsx'
import { limitSentence } from './limits.ts'
import { addressOf, fileFromRow, operationsOf, type StoredFile, type UploadOwner } from './owner.ts'
import { Preview, usePreview } from './preview/preview.tsx'
import { DropZone } from './queue/drop-zone.tsx'
import { QueueList } from './queue/queue-list.tsx'
import { addFiles, useQueue } from './queue/upload-queue.ts'
import { useRemoval } from './remove-files.ts'
import { useSelection } from './selection.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { SignInFirst } from './sign-in-first.tsx'
import { Storage } from './storage.tsx'
import { UploadFilters, useUploadFilter } from './upload-filters.tsx'
import { UploadTable } from './upload-table.tsx'
import styles from './uploads.module.css'

interface UploadsProps {
  owner: UploadOwner
  /** The caller's access level there. */
  level: number
}

/** What was uploaded to a project or group, and where more is. Who may not list sees what he uploaded in this visit. */
export function Uploads({ owner, level }: UploadsProps) {
  const session = useSession()
  const mayUpload = useMayChange()
  const [{ deleted }] = useSearchState(['deleted'])
  if (!session.user) return <SignInFirst title="Uploads" />
  if (level < levels.maintainer && !mayUpload) return <NotForYou />
  if (deleted === 'true' && level >= levels.maintainer) return <DeletedUploads owner={owner} />
  return <Present owner={owner} level={level} />
}

function Present({ owner, level }: UploadsProps) {
  const canSend = useMayChange()
  const canList = level >= levels.maintainer
  const limits = useAnswer(operationsOf(owner).limits, { path: { id: owner.id } })
  return (
    <Page
      title="Uploads"
      lead={limits.data && <Storage limits={limits.data} />}
      actions={
        <>
          {canSend && (
            <LinkButton icon={NotebookPen} to={addressOf(owner, 'pad')}>
              Markdown pad
            </LinkButton>
          )}
          {canList && (
            <LinkButton icon={Trash2} to={`${addressOf(owner)}?deleted=true`}>
              Deleted
            </LinkButton>
          )}
        </>
      }
    >
      {canSend && <Sending owner={owner} limits={limits.data && limitSentence(limits.data)} />}
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
      <DropHint isShown={isOver} text="Drop to upload" />
      <QueueList owner={owner} previewOf={addressFor} />
    </>
  )
}

/** Everything, for those who may list it. */
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
  const list = useRef<HTMLElement>(null)
  const remove = async (files: readonly StoredFile[]) => {
    await removal.remove(files)
    selection.set(files, false)
    // What was pressed is gone with its row.
    list.current?.focus({ preventScroll: true })
  }
  const isFiltered = Boolean(filter.search ?? filter.content_type ?? filter.uploaded_by)
  const isBare = !isFiltered && page === 1 && query.data?.rows.length === 0
  return (
    <section ref={list} tabIndex={-1} className={`stack ${styles.list}`} aria-label="All uploads">
      {!isBare && <UploadFilters owner={owner} known={uploaders} />}
      <Answered query={query}>
        {(found) =>
          found.rows.length === 0 ? (
            <Nothing isFiltered={isFiltered} mayUpload={mayRemove} />
          ) : (
            <UploadTable
              files={files}
              selection={mayRemove ? selection : undefined}
              previewOf={preview.addressFor}
              onPreview={preview.show}
              onRemove={(file) => void remove([file])}
            />
          )
        }
      </Answered>
      <SelectionBar selection={selection}>
        <CopyButton label="Copy Markdown" text={selection.files.map(({ markdown }) => markdown).join('\n')} />
        <Button
          size="small"
          kind="danger"
          icon={Trash2}
          isBusy={removal.isBusy}
          onClick={() => void remove(selection.files)}
        >
          Delete
        </Button>
      </SelectionBar>
      {query.data && <Pager page={query.data} perPage={perPage} />}
      <Preview files={files} owner={owner} isReady={query.data !== undefined} mayList />
    </section>
  )
}

const perPage = 30

function Nothing({ isFiltered, mayUpload }: { isFiltered: boolean; mayUpload: boolean }) {
  return isFiltered ? (
    <Empty title="No such files">
      <p>Nothing matches what you look for.</p>
    </Empty>
  ) : (
    <Empty icon={FileUp} title="Nothing has been uploaded yet">
      {mayUpload && <p>Uploaded files are listed here, each with a line of Markdown to paste where they belong.</p>}
    </Empty>
  )
}

/** Listing is for maintainers; the links to what one uploaded oneself are known as long as the page is open. */
function OfThisVisit({ owner }: { owner: UploadOwner }) {
  const queue = useQueue(owner)
  const files = useMemo(() => queue.flatMap(({ stored }) => stored ?? []), [queue])
  return (
    <>
      {queue.length === 0 && (
        <Empty icon={FileQuestion} title="Only maintainers see the list of uploads">
          <p>What you upload now is listed here until you close this page. Copy its Markdown to keep it.</p>
        </Empty>
      )}
      <Preview files={files} owner={owner} isReady mayList={false} />
    </>
  )
}
