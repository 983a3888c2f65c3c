import type { Schemas } from '@alcove/client'
import { ScanSearch, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { counted, formatBytes } from '../../components/format.ts'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, useApiQuery, usePage } from '../../data/api.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import { groupAddress } from '../../nouns/group/group.ts'
import styles from './admin.module.css'

type Upload = Schemas['QuarantinedUpload']
interface Asked {
  upload: Upload
  action: 'release' | 'delete'
}

const perPage = 50
const refetchMs = 10_000

/** Quarantined uploads of all projects and groups, and the state of the virus scanner. */
export function Quarantine() {
  const mayChange = mayWrite(useSession())
  const query = usePage('GET /admin/quarantine', { query: { page: usePageNumber(), per_page: perPage } }, { refetchMs })
  const [asked, setAsked] = useState<Asked>()
  return (
    <Page title="Quarantine" lead="Files in which the virus scan found a threat. They cannot be downloaded.">
      <Scanner />
      <PagedTable
        label="Quarantined files"
        query={query}
        perPage={perPage}
        empty={{ icon: ShieldCheck, title: 'No quarantined files', text: <p>Infected files appear here.</p> }}
        columns={[
          [
            'File',
            ({ filename, size, owner }) => (
              <>
                <p className={styles.strong}>{filename}</p>
                <p className="muted small">
                  {formatBytes(size)} in <Link to={addressOf(owner)}>{owner.full_path}</Link>
                </p>
              </>
            ),
          ],
          ['Threat', ({ scan_signature: signature }) => <Badge tone="danger">{signature}</Badge>],
          [
            'Uploaded by',
            ({ uploaded_by: user }) =>
              user ? <Link to={`/${user.username}`}>{user.name}</Link> : <span className="muted">Unknown</span>,
          ],
          ['Uploaded', (upload) => <Time of={upload.created_at} />, styles.nowrap],
          ['Scanned', (upload) => <Time of={upload.scanned_at} />, styles.nowrap],
          [
            '',
            (upload) =>
              mayChange && (
                <div className="row">
                  <Button size="small" onClick={() => setAsked({ upload, action: 'release' })}>
                    Release<span className="visually-hidden"> {upload.filename}</span>
                  </Button>
                  <Button size="small" kind="danger" onClick={() => setAsked({ upload, action: 'delete' })}>
                    Delete<span className="visually-hidden"> {upload.filename}</span>
                  </Button>
                </div>
              ),
          ],
        ]}
      />
      {asked?.action === 'release' && <Release upload={asked.upload} onClose={() => setAsked(undefined)} />}
      {asked?.action === 'delete' && <Removal upload={asked.upload} onClose={() => setAsked(undefined)} />}
    </Page>
  )
}

const addressOf = ({ kind, full_path: path }: Upload['owner']) =>
  kind === 'project' ? `/${path}/-/uploads` : `${groupAddress(path)}/-/uploads`

/** Whether clamd answers, what waits for it, and a scan of older files. */
function Scanner() {
  const mayChange = mayWrite(useSession())
  const query = useApiQuery('GET /admin/virus_scan', {}, { refetchMs })
  const scan = useAction('POST /admin/virus_scan', { done: 'Scan queued. Progress is under Jobs.' })
  return (
    <Panel
      title="Virus scanner"
      actions={
        mayChange &&
        query.data?.configured && (
          <Button size="small" icon={ScanSearch} isBusy={scan.isPending} onClick={() => scan.mutate({})}>
            Scan files without a result
          </Button>
        )
      }
    >
      <QueryResult query={query}>{(state) => <ScannerState state={state} />}</QueryResult>
    </Panel>
  )
}

function ScannerState({ state }: { state: Schemas['VirusScan'] }) {
  if (!state.configured) {
    return <p>No virus scanner is configured, so uploads are not scanned. Set ALCOVE_CLAMD to the address of clamd.</p>
  }
  return (
    <div className="stack-tight">
      <p className="row">
        <Badge tone={state.reachable ? 'success' : 'danger'}>{state.reachable ? 'Reachable' : 'Not reachable'}</Badge>
        {counted(state.pending, 'file')} waiting.
      </p>
      {state.error && <p>The scanner does not answer: {state.error}. Check that clamd is running.</p>}
      {state.hold && state.pending > 0 && <p>Files that wait cannot be downloaded until they are scanned.</p>}
    </div>
  )
}

interface DialogProps {
  upload: Upload
  onClose: () => void
}

function Release({ upload, onClose }: DialogProps) {
  const release = useAction('POST /admin/quarantine/{upload_id}/release', {
    done: `${upload.filename} released.`,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Release ${upload.filename}?`}
      lead={`The virus scan found ${upload.scan_signature}. Release the file only if this is a false positive: everyone who can view it can download it again.`}
      confirm="Release file"
      isBusy={release.isPending}
      onConfirm={() => release.mutate({ path: { upload_id: upload.id } })}
    />
  )
}

function Removal({ upload, onClose }: DialogProps) {
  const options = { done: `${upload.filename} deleted.`, onDone: onClose }
  const ofProject = useAction('DELETE /projects/{id}/uploads/{upload_id}', options)
  const ofGroup = useAction('DELETE /groups/{id}/uploads/{upload_id}', options)
  const remove = upload.owner.kind === 'project' ? ofProject : ofGroup
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${upload.filename}?`}
      lead={`Links to the file stop working. It can be restored in the uploads of ${upload.owner.full_path} for some days, and stays quarantined.`}
      confirm="Delete file"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate({ path: { id: upload.owner.id, upload_id: upload.id } })}
    />
  )
}
