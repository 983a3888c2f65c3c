import type { Schemas } from '@alcove/client'
import { ScanSearch, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { fill } from '../../components/fill.tsx'
import { formatBytes } from '../../components/format.ts'
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
import { texts } from './texts.ts'

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
    <Page title={texts.quarantine} lead={texts.filesInWhichTheVirus}>
      <Scanner />
      <PagedTable
        label={texts.quarantinedFiles}
        query={query}
        perPage={perPage}
        empty={{ icon: ShieldCheck, title: texts.noQuarantinedFiles, text: <p>{texts.infectedFilesAppearHere}</p> }}
        columns={[
          [
            texts.file,
            ({ filename, size, owner }) => (
              <>
                <p className={styles.strong}>{filename}</p>
                <p className="muted small">
                  {fill(texts.inLabel, {
                    size: formatBytes(size),
                    link: <Link to={addressOf(owner)}>{owner.full_path}</Link>,
                  })}
                </p>
              </>
            ),
          ],
          [texts.threat, ({ scan_signature: signature }) => <Badge tone="danger">{signature}</Badge>],
          [
            texts.uploadedBy,
            ({ uploaded_by: user }) =>
              user ? <Link to={`/${user.username}`}>{user.name}</Link> : <span className="muted">{texts.unknown}</span>,
          ],
          [texts.uploaded, (upload) => <Time of={upload.created_at} />, styles.nowrap],
          [texts.scanned, (upload) => <Time of={upload.scanned_at} />, styles.nowrap],
          [
            '',
            (upload) =>
              mayChange && (
                <div className="row">
                  <Button size="small" onClick={() => setAsked({ upload, action: 'release' })}>
                    {texts.release}
                    <span className="visually-hidden"> {upload.filename}</span>
                  </Button>
                  <Button size="small" kind="danger" onClick={() => setAsked({ upload, action: 'delete' })}>
                    {texts.deleteLabel}
                    <span className="visually-hidden"> {upload.filename}</span>
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
  const scan = useAction('POST /admin/virus_scan', { done: texts.scanQueuedProgressIsUnder })
  return (
    <Panel
      title={texts.virusScanner}
      actions={
        mayChange &&
        query.data?.configured && (
          <Button size="small" icon={ScanSearch} isBusy={scan.isPending} onClick={() => scan.mutate({})}>
            {texts.scanFilesWithoutAResult}
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
    return <p>{texts.noVirusScannerIsConfigured}</p>
  }
  return (
    <div className="stack-tight">
      <p className="row">
        <Badge tone={state.reachable ? 'success' : 'danger'}>
          {state.reachable ? texts.reachable : texts.notReachable}
        </Badge>
        {texts.fileWaiting(state.pending)}
      </p>
      {state.error && <p>{texts.theScannerDoesNotAnswer(state.error)}</p>}
      {state.hold && state.pending > 0 && <p>{texts.filesThatWaitCannot}</p>}
    </div>
  )
}

interface DialogProps {
  upload: Upload
  onClose: () => void
}

function Release({ upload, onClose }: DialogProps) {
  const release = useAction('POST /admin/quarantine/{upload_id}/release', {
    done: texts.released(upload.filename),
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={texts.releaseFilename(upload.filename)}
      lead={texts.theVirusScanFound(upload.scan_signature)}
      confirm={texts.releaseFile}
      isBusy={release.isPending}
      onConfirm={() => release.mutate({ path: { upload_id: upload.id } })}
    />
  )
}

function Removal({ upload, onClose }: DialogProps) {
  const options = { done: texts.deleted(upload.filename), onDone: onClose }
  const ofProject = useAction('DELETE /projects/{id}/uploads/{upload_id}', options)
  const ofGroup = useAction('DELETE /groups/{id}/uploads/{upload_id}', options)
  const remove = upload.owner.kind === 'project' ? ofProject : ofGroup
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={texts.deleteLabelFilename(upload.filename)}
      lead={texts.linksToTheFile(upload.owner.full_path)}
      confirm={texts.deleteFile}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate({ path: { id: upload.owner.id, upload_id: upload.id } })}
    />
  )
}
